// ragged_batch(batch_size, drop_remainder, row_splits_dtype, parts): batches rows of different
// shapes without padding. A component with unknown dimensions becomes ragged up to the last of
// them: the rows end to end, and row splits for each ragged axis. Others are batched as by batch.

#include <algorithm>

#include "core/composite.h"
#include "core/registry.h"
#include "core/stack.h"
#include "ops/collect_rows.h"

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;
using Kind = Component::Kind;

// A component of the input, and the last unknown axis of a tensor that becomes ragged, or -1.
struct Source {
  Component component;
  int ragged_axis = -1;
};

std::vector<Source> SourcesOf(const ElementSpec& spec, const Components& components) {
  std::vector<Source> sources;
  for (const Component& component : components) {
    Source source{component, -1};
    const std::vector<int64_t>& dims = spec[component.first].dims;
    if (component.kind == Kind::kTensor) {
      const auto last = std::find(dims.rbegin(), dims.rend(), -1);
      source.ragged_axis = static_cast<int>(dims.rend() - last) - 1;
    }
    sources.push_back(source);
  }
  return sources;
}

// The splits of axis `axis` of a dense tensor: rows of one length.
Tensor UniformSplits(const Tensor& tensor, int axis, DType dtype) {
  const int64_t rows = NumElements(tensor.dims().first(static_cast<size_t>(axis)));
  const std::vector<int64_t> dims = {rows + 1};
  Tensor splits = Tensor::Allocate(dtype, dims);
  for (int64_t i = 0; i <= rows; ++i) {
    if (dtype == DType::kInt32) {
      splits.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * tensor.dim(axis));
    } else {
      splits.mutable_data<int64_t>()[i] = i * tensor.dim(axis);
    }
  }
  return splits;
}

// Appends a dense tensor as values and the splits of its axes 1 to `axis`.
Status AppendAsRagged(const Tensor& tensor, size_t component, int axis, DType dtype, Element* out) {
  if (tensor.rank() <= axis) {
    return InvalidArgument(StrCat("component ", component, " must have more than ", axis,
                                  " dimensions, got shape ", ShapeString(tensor.dims())));
  }
  const Dims dims = tensor.dims();
  std::vector<int64_t> flat = {NumElements(dims.first(static_cast<size_t>(axis) + 1))};
  flat.insert(flat.end(), dims.begin() + axis + 1, dims.end());
  out->push_back(tensor.Reshaped(flat));
  for (int i = 1; i <= axis; ++i) out->push_back(UniformSplits(tensor, i, dtype));
  return Status::Ok();
}

// What an element becomes before it is stacked.
struct Plan {
  std::vector<Source> sources;
  Components components;  // of the element so made
  ElementSpec spec;
  DType split_dtype = DType::kInt64;

  Plan(const ElementSpec& input, const Components& given, DType splits)
      : sources(SourcesOf(input, given)), split_dtype(splits) {
    for (const Source& source : sources) {
      Component made = source.component;
      made.first = spec.size();
      const auto first = input.begin() + static_cast<std::ptrdiff_t>(source.component.first);
      if (source.ragged_axis < 0) {
        spec.insert(spec.end(), first, first + static_cast<std::ptrdiff_t>(made.count));
      } else {
        made = {Kind::kRagged, spec.size(), static_cast<size_t>(source.ragged_axis) + 1, splits};
        TensorSpec values = *first;
        values.dims.erase(values.dims.begin(), values.dims.begin() + source.ragged_axis);
        values.dims.front() = -1;
        spec.push_back(std::move(values));
        for (int i = 0; i < source.ragged_axis; ++i) spec.push_back(TensorSpec::Of(splits, {-1}));
      }
      components.push_back(made);
    }
  }

  Status Convert(const Element& row, Element* out) const {
    for (const Source& source : sources) {
      if (source.ragged_axis >= 0) {
        FASTPIPE_RETURN_IF_ERROR(AppendAsRagged(row[source.component.first], source.component.first,
                                                source.ragged_axis, split_dtype, out));
        continue;
      }
      for (size_t i = 0; i < source.component.count; ++i) {
        out->push_back(row[source.component.first + i]);
      }
    }
    return Status::Ok();
  }
};

class RaggedBatch final : public Dataset {
 public:
  RaggedBatch(DatasetRef input, Plan plan, const BatchSize& size)
      : Dataset(StackedSpec(plan.spec, plan.components, size.known_rows), {input}),
        plan_(std::move(plan)),
        batch_size_(size.rows),
        drop_remainder_(size.drop_remainder) {}

  const Plan& plan() const { return plan_; }
  int64_t batch_size() const { return batch_size_; }
  bool drop_remainder() const { return drop_remainder_; }
  int64_t Cardinality() const override {
    return BatchCardinality(input()->Cardinality(), batch_size_, drop_remainder_);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Plan plan_;
  const int64_t batch_size_;
  const bool drop_remainder_;
};

class RaggedBatchIterator final : public IteratorOf<RaggedBatch> {
 public:
  RaggedBatchIterator(const RaggedBatch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        rows_(op.inputs().front()->MakeIterator(context), op.batch_size(), op.drop_remainder()) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
    Status status = Join(rows_.rows(), out);
    rows_.Clear();
    return status;
  }
  Status Join(Rows rows, Element* out) {
    std::vector<Element> converted(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      FASTPIPE_RETURN_IF_ERROR(op().plan().Convert(rows[i], &converted[i]));
    }
    return StackComposites(converted, op().plan().components, out);
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return rows_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return rows_.Restore(reader); }

  RowCollector rows_;
};

std::unique_ptr<Iterator> RaggedBatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<RaggedBatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRaggedBatch(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectStackable(args, inputs[0]->spec()));
  FASTPIPE_ASSIGN(const BatchSize size, ReadBatchSize(args));
  FASTPIPE_ASSIGN(const DType splits, args.DtypeOr("row_splits_dtype", DType::kInt64));
  if (splits != DType::kInt32 && splits != DType::kInt64) {
    return args.Error(StrCat("row_splits_dtype must be int32 or int64, got ", DTypeName(splits)));
  }
  FASTPIPE_ASSIGN(const Components components, ReadComponents(args, inputs[0]->spec()));
  return std::make_shared<RaggedBatch>(inputs[0], Plan(inputs[0]->spec(), components, splits),
                                       size);
}

FASTPIPE_OP("ragged_batch", MakeRaggedBatch);

}  // namespace
}  // namespace fastpipe
