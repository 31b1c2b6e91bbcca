#include "io/csv_columns.h"

#include <algorithm>
#include <array>
#include <cstring>

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
  bool (*parse)(std::string_view text, uint8_t* out);
};

constexpr std::array<ColumnType, 5> kColumnTypes = {{
    {DType::kString, nullptr},
    {DType::kInt32, ParseTo<int32_t>},
    {DType::kInt64, ParseTo<int64_t>},
    {DType::kFloat32, ParseTo<float>},
    {DType::kFloat64, ParseTo<double>},
}};

Result<CsvColumn> ReadColumn(const Args& attrs, size_t index, Tensor fallback) {
  if (fallback.rank() > 1 || fallback.num_elements() > 1) {
    return attrs.Error(StrCat("record_defaults must hold at most one value a column, got ",
                              TensorSpec::Of(fallback).ToString(), " for column ", index));
  }
  for (const ColumnType& type : kColumnTypes) {
    if (type.dtype == fallback.dtype()) {
      return CsvColumn{type.dtype, type.parse, std::move(fallback), index};
    }
  }
  return attrs.Error(
      StrCat("record_defaults must be int32, int64, float32, float64 or string, got ",
             DTypeName(fallback.dtype()), " for column ", index));
}

// The attribute `name`: indices of columns, ascending.
Result<std::vector<size_t>> ReadIndices(const Args& attrs, std::string_view name) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> indices, attrs.Ints(name));
  int64_t previous = -1;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] <= previous) {
      return attrs.Error(StrCat(name, " must be ascending and >= 0, got ", indices[i],
                                i == 0 ? " first" : StrCat(" after ", previous)));
    }
    previous = indices[i];
  }
  return std::vector<size_t>(indices.begin(), indices.end());
}

Status SelectColumns(const Args& attrs, CsvLayout* layout) {
  FASTPIPE_ASSIGN(const std::vector<size_t> selected, ReadIndices(attrs, "select_cols"));
  if (selected.size() != layout->columns.size()) {
    return attrs.Error(StrCat("select_cols and record_defaults must have one length, got ",
                              selected.size(), " and ", layout->columns.size()));
  }
  for (size_t c = 0; c < selected.size(); ++c) {
    layout->columns[c].field = selected[c];
  }
  layout->selected = true;
  layout->fields = layout->columns.back().field + 1;
  return Status::Ok();
}

Status ExcludeColumns(const Args& attrs, CsvLayout* layout) {
  FASTPIPE_ASSIGN(const std::vector<size_t> excluded, ReadIndices(attrs, "exclude_cols"));
  size_t field = 0;
  auto next = excluded.begin();
  for (CsvColumn& column : layout->columns) {
    for (; next != excluded.end() && *next == field; ++next) ++field;
    column.field = field++;
  }
  layout->excluded = excluded;
  return Status::Ok();
}

}  // namespace

Status CsvColumn::Read(std::string_view given, const std::string& na_value, uint8_t* number,
                       std::string_view* text) const {
  if (given.empty() || given == na_value) {
    if (fallback.num_elements() == 0) {
      return InvalidArgument(StrCat("field ", field, " is required, got ", Quoted(given)));
    }
    if (parse) {
      std::memcpy(number, fallback.raw(), DTypeSize(dtype));
    } else {
      *text = fallback.str(0);
    }
  } else if (!parse) {
    *text = given;
  } else if (!parse(given, number)) {
    return InvalidArgument(
        StrCat("field ", field, " must be ", DTypeName(dtype), ", got ", Quoted(given)));
  }
  return Status::Ok();
}

Result<CsvLayout> CsvLayout::Read(const Args& attrs) {
  CsvLayout layout;
  FASTPIPE_ASSIGN(const std::vector<Tensor> defaults, attrs.Tensors("record_defaults"));
  if (defaults.empty()) {
    return attrs.Error("record_defaults must name at least one column, got none");
  }
  for (size_t c = 0; c < defaults.size(); ++c) {
    FASTPIPE_ASSIGN(CsvColumn column, ReadColumn(attrs, c, defaults[c]));
    layout.columns.push_back(std::move(column));
  }
  layout.fields = layout.columns.size();
  if (attrs.Has("select_cols") && attrs.Has("exclude_cols")) {
    return attrs.Error("give select_cols or exclude_cols, not both");
  }
  if (attrs.Has("select_cols")) FASTPIPE_RETURN_IF_ERROR(SelectColumns(attrs, &layout));
  if (attrs.Has("exclude_cols")) FASTPIPE_RETURN_IF_ERROR(ExcludeColumns(attrs, &layout));
  FASTPIPE_ASSIGN(const std::string delimiter, attrs.StringOr("field_delim", ","));
  if (delimiter.size() != 1) {
    return attrs.Error(StrCat("field_delim must be one byte, got ", Quoted(delimiter)));
  }
  layout.format.delimiter = delimiter[0];
  FASTPIPE_ASSIGN(layout.format.quotes, attrs.BoolOr("use_quote_delim", true));
  FASTPIPE_ASSIGN(layout.na_value, attrs.StringOr("na_value", ""));
  return layout;
}

Status CsvLayout::ExpectFields(size_t count) const {
  const auto left_out = std::lower_bound(excluded.begin(), excluded.end(), count);
  const size_t kept = count - static_cast<size_t>(left_out - excluded.begin());
  if (selected ? count >= fields : kept == fields) return Status::Ok();
  return InvalidArgument(StrCat("expected ", selected ? "at least " : "", fields, " fields",
                                excluded.empty() ? "" : " besides those left out", ", got ", kept));
}

}  // namespace fastpipe
