// padded_batch(batch_size, padded_shapes, padding_values, drop_remainder): stacks elements after
// padding each to the given shape, or to the longest of the batch.

#include "core/registry.h"
#include "ops/collect_rows.h"
#include "ops/padding.h"

namespace fastpipe {
namespace {

class PaddedBatch final : public Dataset {
 public:
  PaddedBatch(ElementSpec spec, DatasetRef input, const BatchSize& size,
              std::vector<Padding> paddings)
      : Dataset(std::move(spec), {input}),
        batch_size_(size.rows),
        drop_remainder_(size.drop_remainder),
        paddings_(std::move(paddings)) {}

  int64_t batch_size() const { return batch_size_; }
  bool drop_remainder() const { return drop_remainder_; }
  const std::vector<Padding>& paddings() const { return paddings_; }
  int64_t Cardinality() const override {
    return BatchCardinality(input()->Cardinality(), batch_size_, drop_remainder_);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t batch_size_;
  const bool drop_remainder_;
  const std::vector<Padding> paddings_;  // one for each component
};

class PaddedBatchIterator final : public IteratorOf<PaddedBatch> {
 public:
  PaddedBatchIterator(const PaddedBatch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        rows_(op.inputs().front()->MakeIterator(context), op.batch_size(), op.drop_remainder()) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
    Status status;
    for (size_t i = 0; i < op().paddings().size() && status.ok(); ++i) {
      Tensor stacked;
      status = StackPadded(rows_.rows(), i, op().paddings()[i], &stacked);
      out->push_back(std::move(stacked));
    }
    rows_.Clear();
    return status;
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return rows_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return rows_.Restore(reader); }

  RowCollector rows_;
};

std::unique_ptr<Iterator> PaddedBatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<PaddedBatchIterator>(*this, context);
}

// The list argument `name`, which has an entry for each component; all None if it is absent.
Result<ValueList> ListPerComponent(const Args& args, std::string_view name, size_t components) {
  if (!args.Has(name)) return ValueList(components);
  FASTPIPE_ASSIGN(ValueList list, args.List(name));
  if (list.size() == components) return list;
  return args.Error(StrCat(name, " must have an entry for each of the ", components,
                           " components, got ", list.size()));
}

Result<std::vector<int64_t>> PaddedShape(const Args& args, Value shape) {
  if (ValueList* dims = std::get_if<ValueList>(&shape.held)) {
    for (Value& dim : *dims) {
      if (dim.get<Slot>()) dim = Value{};  // known only when it runs
    }
  }
  const Args entry(args.owner(), {{"padded_shapes", std::move(shape)}});
  FASTPIPE_ASSIGN(std::vector<int64_t> dims, entry.Ints("padded_shapes"));
  for (int64_t dim : dims) {
    if (dim < -1) return args.Error(StrCat("padded_shapes must hold sizes or -1, got ", dim));
  }
  return dims;
}

// The padding of component `index`, of which `input` is known.
Result<Padding> MakePadding(const Args& args, size_t index, const TensorSpec& input,
                            const Value& shape, const Value& value) {
  Padding padding;
  if (shape.get<Slot>()) {
    padding.shape = std::nullopt;
  } else if (!shape.is_none()) {
    FASTPIPE_ASSIGN(padding.shape, PaddedShape(args, shape));
  } else if (input.known_rank) {
    padding.shape = std::vector<int64_t>(input.dims.size(), -1);
  }
  if (padding.shape && input.known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectPaddable(args, index, input, *padding.shape));
  }
  if (value.is_none() || value.get<Slot>()) return padding;
  const Args entry(args.owner(), {{"padding_values", value}});
  FASTPIPE_ASSIGN(padding.value, entry.OneTensor("padding_values"));
  if (padding.value.dtype() != input.dtype || padding.value.rank() != 0) {
    return args.Error(StrCat("the padding value of component ", index, " must be a scalar ",
                             DTypeName(input.dtype), ", got ",
                             TensorSpec::Of(padding.value).ToString()));
  }
  return padding;
}

Result<std::shared_ptr<Dataset>> MakePaddedBatch(const Args& args, std::vector<DatasetRef> inputs) {
  const ElementSpec& input = inputs[0]->spec();
  FASTPIPE_RETURN_IF_ERROR(ExpectStackable(args, input));
  FASTPIPE_ASSIGN(const BatchSize size, ReadBatchSize(args));
  FASTPIPE_ASSIGN(const ValueList shapes, ListPerComponent(args, "padded_shapes", input.size()));
  FASTPIPE_ASSIGN(const ValueList values, ListPerComponent(args, "padding_values", input.size()));
  std::vector<Padding> paddings;
  ElementSpec spec;
  for (size_t i = 0; i < input.size(); ++i) {
    FASTPIPE_ASSIGN(Padding padding, MakePadding(args, i, input[i], shapes[i], values[i]));
    TensorSpec component = TensorSpec::UnknownRank(input[i].dtype);
    if (padding.shape) component = TensorSpec::Of(input[i].dtype, *padding.shape);
    spec.push_back(StackedSpec(component, size.known_rows));
    paddings.push_back(std::move(padding));
  }
  return std::make_shared<PaddedBatch>(std::move(spec), inputs[0], size, std::move(paddings));
}

FASTPIPE_OP("padded_batch", MakePaddedBatch);

}  // namespace
}  // namespace fastpipe
