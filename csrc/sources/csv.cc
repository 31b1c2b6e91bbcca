// csv(filenames, compression_type, buffer_size, header, ...): the records of CSV files, a scalar
// for each column. The columns are described as CsvLayout reads them.

#include "core/registry.h"
#include "io/csv_columns.h"
#include "io/csv_reader.h"
#include "io/text.h"
#include "sources/file_source.h"

namespace fastpipe {
namespace {

ElementSpec SpecOf(const CsvLayout& layout) {
  ElementSpec spec;
  for (const CsvColumn& column : layout.columns) spec.push_back(TensorSpec::Scalar(column.dtype));
  return spec;
}

class Csv final : public FileSource {
 public:
  Csv(FileSourceOptions options, CsvLayout layout, bool header)
      : FileSource(std::move(options), SpecOf(layout)),
        layout_(std::move(layout)),
        header_(header) {}
  using Reader = CsvReader;

  Result<Reader> MakeReader(std::unique_ptr<InputStream> stream, int64_t number,
                            const Limits& limits) const {
    return CsvReader(std::move(stream), number, layout_.format, header_,
                     layout_.fields + layout_.excluded.size(), limits.record_bytes);
  }
  Status ReadNext(Reader* reader, Element* out) const {
    std::vector<CsvField> fields;
    FASTPIPE_RETURN_IF_ERROR(reader->Next(&fields));
    Status status = layout_.ExpectFields(reader->field_count());
    for (size_t c = 0; c < layout_.columns.size() && status.ok(); ++c) {
      status = AddColumn(*reader, layout_.columns[c], fields, out);
    }
    return status.ok() ? status : reader->AtRecord(status);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override {
    return std::make_unique<FileIterator<Csv>>(*this, context);
  }

 private:
  Status AddColumn(const Reader& reader, const CsvColumn& column,
                   const std::vector<CsvField>& fields, Element* out) const {
    std::string scratch;
    const std::string_view field = fields[column.field].Text(&scratch);
    Tensor value = column.parse ? Tensor::Allocate(column.dtype, {}) : Tensor();
    std::string_view text;
    FASTPIPE_RETURN_IF_ERROR(
        column.Read(field, layout_.na_value, column.parse ? value.mutable_raw() : nullptr, &text));
    if (!column.parse) {
      const bool in_file = text.data() == field.data() && text.data() != scratch.data();
      value = in_file && text.size() > Tensor::kInlineBytes
                  ? Tensor::StringSlice(reader.stream().buffer(), text)
                  : Tensor::String(text);
    }
    out->push_back(std::move(value));
    return Status::Ok();
  }

  const CsvLayout layout_;
  const bool header_;
};

Result<std::shared_ptr<Dataset>> MakeCsv(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(FileSourceOptions options, FileSourceOptions::Read(args));
  FASTPIPE_ASSIGN(CsvLayout layout, CsvLayout::Read(args));
  FASTPIPE_ASSIGN(const bool header, args.BoolOr("header", false));
  return std::make_shared<Csv>(std::move(options), std::move(layout), header);
}

FASTPIPE_OP("csv", MakeCsv);

}  // namespace
}  // namespace fastpipe
