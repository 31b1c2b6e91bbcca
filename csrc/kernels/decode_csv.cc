// decode_csv(records): one tensor a column, each of the records' shape.
//
// Attributes: record_defaults (one tensor a column: its dtype is the column's; empty if the field
// is required, else one value that stands for an empty field), field_delim, use_quote_delim,
// na_value (text that counts as empty), select_cols (None: all; else which, ascending).

#include <array>
#include <optional>
#include <vector>

#include "core/registry.h"
#include "io/csv.h"
#include "io/text.h"

namespace fastpipe {
namespace {

template <typename T>
bool ParseTo(std::string_view text, uint8_t* out) {
  T value;
  const bool parsed = ParseNumber(text, &value);
  if (parsed) std::memcpy(out, &value, sizeof(T));
  return parsed;
}

struct ColumnType {
  DType dtype;
  bool (*parse)(std::string_view text, uint8_t* out);  // null for strings
};

constexpr std::array<ColumnType, 5> kColumnTypes = {{
    {DType::kString, nullptr},
    {DType::kInt32, ParseTo<int32_t>},
    {DType::kInt64, ParseTo<int64_t>},
    {DType::kFloat32, ParseTo<float>},
    {DType::kFloat64, ParseTo<double>},
}};

struct Column {
  ColumnType type;
  Tensor fallback;   // one value, or none: the field is required
  size_t field = 0;  // where it stands in a record
};

struct Layout {
  std::vector<Column> columns;
  CsvFormat format;
  std::string na_value;
  std::optional<size_t> limit;  // with select_cols, the fields after these are not looked at
};

// The columns of one run, filled record by record.
class Table {
 public:
  Table(const Args& attrs, const Layout& layout, const Tensor& records, Outputs outputs)
      : attrs_(attrs),
        layout_(layout),
        records_(records),
        outputs_(outputs),
        numbers_(layout.columns.size()),
        texts_(layout.columns.size()) {}

  Status Fill() {
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      const ColumnType& type = layout_.columns[c].type;
      if (type.parse) numbers_[c] = outputs_[c].Allocate(type.dtype, records_.dims());
    }
    const int64_t count = records_.num_elements();
    for (int64_t i = 0; i < count; ++i) FASTPIPE_RETURN_IF_ERROR(AddRecord(i));
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      if (!layout_.columns[c].type.parse && records_.rank() > 0) {
        outputs_[c].Set(texts_[c].Build(records_.dims()));
      }
    }
    return Status::Ok();
  }

 private:
  Status Error(int64_t record, const std::string& what) const {
    return attrs_.Error(records_.rank() == 0 ? what : StrCat("record ", record, ": ", what));
  }

  Status AddRecord(int64_t index) {
    const std::string_view record = records_.str(index);
    Status split =
        SplitCsvRecord(record, layout_.format, layout_.limit.value_or(SIZE_MAX), &fields_);
    if (!split.ok()) return Error(index, split.message());
    const size_t expected = layout_.limit.value_or(layout_.columns.size());
    if (fields_.size() != expected) {
      return Error(index, StrCat("expected ", layout_.limit ? "at least " : "", expected,
                                 " fields, got ", fields_.size(), " in ", Quoted(record)));
    }
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      FASTPIPE_RETURN_IF_ERROR(AddField(index, c));
    }
    return Status::Ok();
  }

  Status AddField(int64_t index, size_t c) {
    const Column& column = layout_.columns[c];
    const std::string_view text = fields_[column.field].Text(&scratch_);
    const size_t size = DTypeSize(column.type.dtype);
    uint8_t* number = numbers_[c] + static_cast<size_t>(index) * size;
    if (text.empty() || text == layout_.na_value) {
      if (column.fallback.num_elements() == 0) {
        return Error(index, StrCat("field ", column.field, " is required, got ", Quoted(text)));
      }
      if (column.type.parse) {
        std::memcpy(number, column.fallback.raw(), size);
      } else {
        AddText(c, column.fallback.str(0), false);
      }
    } else if (!column.type.parse) {
      AddText(c, text, text.data() != scratch_.data());
    } else if (!column.type.parse(text, number)) {
      return Error(index, StrCat("field ", column.field, " must be ", DTypeName(column.type.dtype),
                                 ", got ", Quoted(text)));
    }
    return Status::Ok();
  }

  void AddText(size_t c, std::string_view text, bool in_record) {
    if (records_.rank() > 0) {
      texts_[c].Append(text);
    } else if (in_record) {
      outputs_[c].Set(Tensor::StringSlice(records_.buffer(), text));
    } else {
      outputs_[c].Set(Tensor::String(text));
    }
  }

  const Args& attrs_;
  const Layout& layout_;
  const Tensor& records_;
  const Outputs outputs_;
  std::vector<uint8_t*> numbers_;
  std::vector<StringArrayBuilder> texts_;
  std::vector<CsvField> fields_;
  std::string scratch_;
};

Result<Column> ReadColumn(const Args& attrs, size_t index, Tensor fallback) {
  if (fallback.rank() > 1 || fallback.num_elements() > 1) {
    return attrs.Error(StrCat("record_defaults must hold at most one value a column, got ",
                              TensorSpec::Of(fallback).ToString(), " for column ", index));
  }
  for (const ColumnType& type : kColumnTypes) {
    if (type.dtype == fallback.dtype()) return Column{type, std::move(fallback), index};
  }
  return attrs.Error(
      StrCat("record_defaults must be int32, int64, float32, float64 or string, got ",
             DTypeName(fallback.dtype()), " for column ", index));
}

Status SelectColumns(const Args& attrs, Layout* layout) {
  if (!attrs.Has("select_cols")) return Status::Ok();
  FASTPIPE_ASSIGN(const std::vector<int64_t> selected, attrs.Ints("select_cols"));
  if (selected.size() != layout->columns.size()) {
    return attrs.Error(StrCat("select_cols and record_defaults must have one length, got ",
                              selected.size(), " and ", layout->columns.size()));
  }
  int64_t previous = -1;
  for (size_t c = 0; c < selected.size(); ++c) {
    if (selected[c] <= previous) {
      return attrs.Error(StrCat("select_cols must be ascending and >= 0, got ", selected[c],
                                c == 0 ? " first" : StrCat(" after ", previous)));
    }
    previous = selected[c];
    layout->columns[c].field = static_cast<size_t>(selected[c]);
  }
  layout->limit = static_cast<size_t>(previous + 1);
  return Status::Ok();
}

Result<Layout> ReadLayout(const Args& attrs) {
  Layout layout;
  FASTPIPE_ASSIGN(const std::vector<Tensor> defaults, attrs.Tensors("record_defaults"));
  if (defaults.empty())
    return attrs.Error("record_defaults must name at least one column, got none");
  for (size_t c = 0; c < defaults.size(); ++c) {
    FASTPIPE_ASSIGN(Column column, ReadColumn(attrs, c, defaults[c]));
    layout.columns.push_back(std::move(column));
  }
  FASTPIPE_RETURN_IF_ERROR(SelectColumns(attrs, &layout));
  FASTPIPE_ASSIGN(const std::string delimiter, attrs.StringOr("field_delim", ","));
  if (delimiter.size() != 1) {
    return attrs.Error(StrCat("field_delim must be one byte, got ", Quoted(delimiter)));
  }
  layout.format.delimiter = delimiter[0];
  FASTPIPE_ASSIGN(layout.format.quotes, attrs.BoolOr("use_quote_delim", true));
  FASTPIPE_ASSIGN(layout.na_value, attrs.StringOr("na_value", ""));
  return layout;
}

Result<KernelPlan> PlanDecodeCsv(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const Layout layout, ReadLayout(attrs));
  std::vector<TensorSpec> outputs;
  for (const Column& column : layout.columns) {
    outputs.push_back(inputs[0]);
    outputs.back().dtype = column.type.dtype;
  }
  return KernelPlan{std::move(outputs),
                    KernelFrom([attrs, layout](KernelContext*, Inputs in, Outputs out) {
                      return Table(attrs, layout, *in[0], out).Fill();
                    })};
}

FASTPIPE_KERNEL("decode_csv", PlanDecodeCsv);

}  // namespace
}  // namespace fastpipe
