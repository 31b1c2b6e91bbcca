// FeatureTable: the features that a kernel reads of each serialized message, by name.
//
// Contract: reads them from one map of the message: the features of a tf.train.Example, the context
// or the feature lists of a tf.train.SequenceExample. Features that the message has besides are
// passed over; of several with one name the last counts.
// Thread rule: constant once read; the columns belong to one run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/example_columns.h"

namespace fastpipe {

class FeatureTable {
 public:
  using Columns = std::vector<std::unique_ptr<Column>>;

  // From attribute `attribute`: a list with, for each feature, [name, kind ("fixed", "sequence",
  // "sparse" or "ragged"), dtype, shape, default or None, dtype of row splits, may be missing].
  // `field` is that of the map in the message; `nested`: its values are feature lists.
  static Result<FeatureTable> Read(const Args& attrs, std::string_view attribute, uint32_t field,
                                   bool nested);

  FeatureTable() = default;
  FeatureTable(FeatureTable&&) = default;
  FeatureTable& operator=(FeatureTable&&) = default;

  size_t size() const { return requests_.size(); }
  bool HasRagged() const;
  // Of all columns, in order.
  void AppendSpecs(const TensorSpec& serialized, std::vector<TensorSpec>* specs) const;
  // Takes as many outputs as there are specs from `*outputs` on and moves behind them.
  Columns NewColumns(const Tensor& serialized, Output** outputs) const;
  // Adds the features of one message to `*columns`.
  Status AddRow(std::string_view message, int64_t row, Columns* columns) const;

 private:
  uint32_t field_ = 0;
  std::string message_type_;
  std::vector<FeatureRequest> requests_;
  std::unordered_map<std::string_view, size_t> index_;  // keys are the names in requests_
};

// Parses all messages of in[0] into `out`, table after table. `max_rank`: 1 if it may be a vector.
Status ParseMessages(const Args& attrs, const std::vector<FeatureTable>& tables, int max_rank,
                     const Tensor& serialized, Outputs out);
// The plan of a kernel that does so.
Result<KernelPlan> PlanParse(const Args& attrs, Specs inputs, int max_rank,
                             std::vector<FeatureTable> tables);

}  // namespace fastpipe
