// The interleave op, shared by its sequential and its parallel iterator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/registry.h"
#include "runtime/context.h"
#include "runtime/tuning.h"

namespace fastpipe {

class Interleave final : public Dataset {
 public:
  struct Settings {
    int64_t cycle_length = 1;
    int64_t block_length = 1;
    int64_t threads = 0;  // 0: sequential
    std::optional<bool> deterministic;
    bool tunes_cycle = false;  // AUTOTUNE chooses cycle_length, where order is free
  };

  Interleave(DatasetRef input, Function function, Settings settings)
      : Dataset(*function.program->output_specs()[0].element, {input}),
        function_(std::move(function)),
        settings_(settings) {}

  const Function& function() const { return function_; }
  const Settings& settings() const { return settings_; }
  bool ordered(const RunOptions& options) const {
    return settings_.deterministic.value_or(options.deterministic);
  }
  // Inners that may be open at once in a run.
  int64_t MostOpen(const RunOptions& options) const {
    return settings_.tunes_cycle && !ordered(options) ? kMostTunedOpen : settings_.cycle_length;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  static constexpr int64_t kMostTunedOpen = 64;

  const Function function_;
  const Settings settings_;
};

// What both iterators save: where the input stood before the oldest open inner, how many of its
// results have been used since, and for each open inner which of these it came from and where it
// stands. A pass saved under one parallelism can go on under another.
struct InterleavePosition {
  struct Inner {
    int64_t slot = 0;
    int64_t sequence = 0;  // results of the input after `input`
    std::string position;  // empty: at its beginning
    int64_t since = 0;     // results delivered after `position`
  };
  int64_t cycle_index = 0;
  int64_t block_index = 0;
  std::string input;
  int64_t pulled = 0;
  std::vector<Inner> inners;  // in the order of `sequence` when read

  void Write(PositionWriter* writer) const;
  Status Read(PositionReader* reader, const Interleave::Settings& settings);
};

// Runs the function on elements and opens the datasets it returns; one thread at a time.
class InnerOpener {
 public:
  InnerOpener(const Interleave& op, const IteratorContext& context)
      : call_(op.function(), context.run->kernel_context(op, context)), context_(context) {}
  // `number` is that of `input` in the pass.
  Result<std::unique_ptr<Iterator>> Open(int64_t number, const Element& input);
  // Opens and brings to where `saved` stands.
  Result<std::unique_ptr<Iterator>> Reopen(int64_t number, const Element& input,
                                           const InterleavePosition::Inner& saved);

 private:
  FunctionCall call_;
  const IteratorContext context_;
};

std::unique_ptr<Iterator> MakeParallelInterleave(const Interleave& op,
                                                 const IteratorContext& context);

}  // namespace fastpipe
