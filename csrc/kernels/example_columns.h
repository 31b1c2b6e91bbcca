// Columns: the values of one feature of many tf.train.Examples, collected row by row into tensors.
//
// Contract: a FeatureRequest says what is wanted of a feature. Its column takes the serialized
// message of each row in order, nothing where a row has none, and at the end hands its tensors to
// consecutive Outputs. `batched` tells whether the rows are a new first dimension or there is only
// one, without that dimension. Errors name the feature, not the row.
// Thread rule: a column belongs to one run of a kernel; requests are constant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "io/example_wire.h"

namespace fastpipe {

enum class ColumnKind : uint8_t {
  kFixed,     // [*shape], the same number of values in each row
  kSequence,  // [steps, *shape], padded to the longest row
  kSparse,    // indices, values and dense shape
  kRagged,    // the values end to end, and row splits
};

struct FeatureRequest {
  std::string name;
  ColumnKind kind = ColumnKind::kFixed;
  DType dtype = DType::kInvalid;
  FeatureKind wire = FeatureKind::kNone;  // how values of `dtype` come
  std::vector<int64_t> shape;             // of kFixed, or of one step of kSequence
  size_t count = 1;                       // values of that shape
  std::optional<Tensor> fallback;         // kFixed: for a row without; kSequence: a scalar to pad
  DType split_dtype = DType::kInt64;      // of kRagged
  bool optional = false;                  // a feature list that may be missing
  bool nested = false;                    // a feature list: one Feature for each step

  std::string Expected() const;  // "feature 'a' must hold 2 int64 values (shape [2])"
};

class Column {
 public:
  virtual ~Column() = default;
  virtual Status Add(int64_t row, const std::optional<std::string_view>& message) = 0;
  virtual void Finish() = 0;
};

// The specs of its outputs for a batch of `serialized`, in order.
std::vector<TensorSpec> ColumnSpecs(const FeatureRequest& request, const TensorSpec& serialized);

// `outputs` begins with those of the column; everything given outlives it.
std::unique_ptr<Column> MakeColumn(const FeatureRequest& request, const Tensor& serialized,
                                   Output* outputs);

}  // namespace fastpipe
