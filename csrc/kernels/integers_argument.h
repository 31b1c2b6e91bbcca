// IntegersArgument: a list of integers of which some, or all, come as inputs of the kernel.
//
// Contract: shapes, paddings and indices are such lists. As an attribute the list holds integers
// and, for each that is known only when the kernel runs, the word "input"; these are scalar inputs,
// in order. Without the attribute one input tensor holds all of them. Thread rule: const after
// Read.
#pragma once

#include <optional>
#include <vector>

#include "core/kernel.h"

namespace fastpipe {

class IntegersArgument {
 public:
  // `next_input` is the first input that may belong to the list; it moves past those that do.
  static Result<IntegersArgument> Read(const Args& attrs, std::string_view name, Specs inputs,
                                       size_t* next_input);

  // How many integers there are, if that is known.
  std::optional<size_t> size() const;
  // What is known of them when planning; -1 where unknown. REQUIRES: size() is known.
  std::vector<int64_t> Known() const;
  // True if every integer is known when planning.
  bool IsStatic() const { return is_list_ && dynamic_ == 0; }
  // All integers. REQUIRES: the inputs as planned.
  std::vector<int64_t> Get(Inputs inputs) const;

 private:
  bool is_list_ = false;
  std::vector<std::optional<int64_t>> items_;  // nothing: the next input
  size_t dynamic_ = 0;
  size_t first_input_ = 0;
  std::optional<size_t> vector_size_;
};

// Values of an integer tensor of any shape.
std::vector<int64_t> IntegersOf(const Tensor& tensor);

// `axis`, which may count from the end, as 0 <= axis < rank; InvalidArgument otherwise.
Result<int> NormalizeAxis(std::string_view owner, int64_t axis, int rank);

}  // namespace fastpipe
