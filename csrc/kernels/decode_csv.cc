// decode_csv(records): one tensor a column, each of the records' shape.
//
// Attributes: as CsvLayout reads them, without exclude_cols.

#include <vector>

#include "core/registry.h"
#include "io/csv_columns.h"
#include "io/text.h"

namespace fastpipe {
namespace {

// The columns of one run, filled record by record.
class Table {
 public:
  Table(const Args& attrs, const CsvLayout& layout, const Tensor& records, Outputs outputs)
      : attrs_(attrs),
        layout_(layout),
        records_(records),
        outputs_(outputs),
        numbers_(layout.columns.size()),
        texts_(layout.columns.size()) {}

  Status Fill() {
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      const CsvColumn& column = layout_.columns[c];
      if (column.parse) numbers_[c] = outputs_[c].Allocate(column.dtype, records_.dims());
    }
    const int64_t count = records_.num_elements();
    for (int64_t i = 0; i < count; ++i) FASTPIPE_RETURN_IF_ERROR(AddRecord(i));
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      if (!layout_.columns[c].parse && records_.rank() > 0) {
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
    // With select_cols the fields after these are not looked at.
    const size_t limit = layout_.selected ? layout_.fields : SIZE_MAX;
    Status status = SplitCsvRecord(record, layout_.format, limit, &fields_);
    if (!status.ok()) return Error(index, status.message());
    status = layout_.ExpectFields(fields_.size());
    if (!status.ok()) return Error(index, StrCat(status.message(), " in ", Quoted(record)));
    for (size_t c = 0; c < layout_.columns.size(); ++c) {
      FASTPIPE_RETURN_IF_ERROR(AddField(index, c));
    }
    return Status::Ok();
  }

  Status AddField(int64_t index, size_t c) {
    const CsvColumn& column = layout_.columns[c];
    const std::string_view field = fields_[column.field].Text(&scratch_);
    std::string_view text;
    uint8_t* number = numbers_[c] + static_cast<size_t>(index) * DTypeSize(column.dtype);
    Status status = column.Read(field, layout_.na_value, number, &text);
    if (!status.ok()) return Error(index, status.message());
    if (!column.parse)
      AddText(c, text, text.data() == field.data() && text.data() != scratch_.data());
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
  const CsvLayout& layout_;
  const Tensor& records_;
  const Outputs outputs_;
  std::vector<uint8_t*> numbers_;
  std::vector<StringArrayBuilder> texts_;
  std::vector<CsvField> fields_;
  std::string scratch_;
};

Result<KernelPlan> PlanDecodeCsv(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const CsvLayout layout, CsvLayout::Read(attrs));
  std::vector<TensorSpec> outputs;
  for (const CsvColumn& column : layout.columns) {
    outputs.push_back(inputs[0]);
    outputs.back().dtype = column.dtype;
  }
  return KernelPlan{std::move(outputs),
                    KernelFrom([attrs, layout](KernelContext*, Inputs in, Outputs out) {
                      return Table(attrs, layout, *in[0], out).Fill();
                    })};
}

FASTPIPE_KERNEL("decode_csv", PlanDecodeCsv);

}  // namespace
}  // namespace fastpipe
