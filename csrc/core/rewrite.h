// Rewrites: several instructions of a program computed by one kernel, with the same results.
//
// Contract: a rule looks at a program as it was traced and proposes replacements. The kernel of a
// replacement may fail for any reason: then the instructions that it stands for run one by one, so
// that errors are theirs and rare cases need no fast version. A rule is registered beside its
// kernel in one line, FASTPIPE_REWRITE(rule). Thread rule: rules are written during static
// initialisation only, and called by any thread afterwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/args.h"
#include "core/kernel.h"

namespace fastpipe {

// What a rule sees of a program; instructions are numbered in their order.
class ProgramView {
 public:
  virtual ~ProgramView() = default;
  virtual int size() const = 0;
  // Its name is attrs(i).owner().
  virtual const Args& attrs(int instruction) const = 0;
  virtual const std::shared_ptr<const Kernel>& kernel(int instruction) const = 0;
  virtual std::span<const int> inputs(int instruction) const = 0;  // slots
  virtual int num_outputs(int instruction) const = 0;
  virtual int output(int instruction) const = 0;  // the slot of its first result
  virtual const TensorSpec& spec(int slot) const = 0;
  // The instruction that makes it, or -1.
  virtual int maker(int slot) const = 0;
  // An instruction as often as it takes the slot; size() for each result of the program that it is.
  virtual const std::vector<int>& users(int slot) const = 0;

  // The one instruction that uses the first result of `instruction`, once; or -1.
  int OnlyUser(int instruction) const;
};

struct Replacement {
  // Ascending. It computes the results of the last of them, in its place; the others are left out
  // where nothing else needs them.
  std::vector<int> instructions;
  std::vector<int> inputs;  // slots, made by instructions before the last
  std::shared_ptr<const Kernel> kernel;
};

using RewriteRule = std::vector<Replacement> (*)(const ProgramView& program);

void RegisterRewrite(RewriteRule rule);
// What all rules propose, at most one for each instruction.
std::vector<Replacement> ProposeRewrites(const ProgramView& program);

struct RewriteRegistration {
  explicit RewriteRegistration(RewriteRule rule) { RegisterRewrite(rule); }
};

#define FASTPIPE_REWRITE(rule) \
  const ::fastpipe::RewriteRegistration FASTPIPE_CONCAT(rewrite_registration_, __COUNTER__)(rule)

}  // namespace fastpipe
