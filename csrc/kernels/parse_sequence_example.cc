// parse_single_sequence_example(serialized), parse_sequence_example(serialized): features and
// feature lists of tf.train.SequenceExample.
//
// Attributes: context and lists, as FeatureTable reads them. First come the results of the context,
// as those of parse_example. A feature list has one more dimension, its steps: a sequence gives one
// tensor and, for a batch, the number of steps of each row; a sparse one three; a ragged one its
// values, for a batch the splits of rows into steps, and the splits of steps into values.

#include "core/registry.h"
#include "kernels/example_features.h"

namespace fastpipe {
namespace {

template <int max_rank>
Result<KernelPlan> Plan(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(FeatureTable context,
                  FeatureTable::Read(attrs, "context", MapReader::kSequenceContext, false));
  FASTPIPE_ASSIGN(FeatureTable lists,
                  FeatureTable::Read(attrs, "lists", MapReader::kSequenceLists, true));
  std::vector<FeatureTable> tables;
  tables.push_back(std::move(context));
  tables.push_back(std::move(lists));
  return PlanParse(attrs, inputs, max_rank, std::move(tables));
}

FASTPIPE_KERNEL("parse_single_sequence_example", Plan<0>);
FASTPIPE_KERNEL("parse_sequence_example", Plan<1>);

}  // namespace
}  // namespace fastpipe
