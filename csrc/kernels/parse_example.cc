// parse_single_example(serialized), parse_example(serialized): features of tf.train.Example.
//
// Attribute: features, as FeatureTable reads them. The results come in the same order: a fixed or
// sequence feature gives one tensor, a sparse one three (indices, values, dense shape), a ragged
// one its values and, for a batch, row splits. parse_example also takes a vector of examples: each
// result then has the batch as its first dimension.

#include "core/registry.h"
#include "kernels/example_features.h"

namespace fastpipe {
namespace {

template <int max_rank>
Result<KernelPlan> Plan(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(FeatureTable table,
                  FeatureTable::Read(attrs, "features", MapReader::kExampleFeatures, false));
  std::vector<FeatureTable> tables;
  tables.push_back(std::move(table));
  return PlanParse(attrs, inputs, max_rank, std::move(tables));
}

FASTPIPE_KERNEL("parse_single_example", Plan<0>);
FASTPIPE_KERNEL("parse_example", Plan<1>);

}  // namespace
}  // namespace fastpipe
