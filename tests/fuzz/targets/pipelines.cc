#include "pipelines.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/program.h"
#include "core/registry.h"

namespace fastpipe::fuzz {
namespace {

using Arguments = std::map<std::string, Value, std::less<>>;

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.status().ToString());
  return std::move(result.value());
}

DatasetRef Made(const std::string& op, Arguments args, std::vector<DatasetRef> inputs = {}) {
  return Must(MakeDataset(Args(op, std::move(args)), std::move(inputs), ""));
}

Value Int(int64_t value) { return Value{value}; }

DatasetRef Range(int64_t stop) { return Made("range", {{"stop", Int(stop)}}); }

Tensor Bools(int64_t count) {
  Tensor tensor = Tensor::Allocate(DType::kBool, Dims(&count, 1));
  for (int64_t i = 0; i < count; ++i) tensor.mutable_raw()[i] = i % 3 != 0;
  return tensor;
}

DatasetRef Slices(const std::vector<Tensor>& tensors) {
  ValueList components;
  for (const Tensor& tensor : tensors) components.push_back(Value{tensor});
  return Made("from_tensor_slices", {{"components", Value{components}}});
}

Tensor Numbers(const std::vector<int64_t>& numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  Tensor tensor = Tensor::Allocate(DType::kInt64, Dims(&count, 1));
  std::copy(numbers.begin(), numbers.end(), tensor.mutable_data<int64_t>());
  return tensor;
}

Tensor Texts() {
  StringArrayBuilder texts;
  for (int i = 0; i < 12; ++i) texts.Append(std::string(static_cast<size_t>(i * 5), 'x'));
  return texts.Build();
}

// A function that returns some of its arguments.
Value Picks(const ElementSpec& arguments, const std::vector<int>& picked) {
  ProgramBuilder builder;
  std::vector<int> slots;
  for (const TensorSpec& spec : arguments) slots.push_back(builder.AddArg(spec));
  std::vector<int> outputs;
  for (int index : picked) outputs.push_back(slots[static_cast<size_t>(index)]);
  return Value{FunctionValue{builder.Finish(std::move(outputs)), {}}};
}

const TensorSpec kNumber = TensorSpec::Scalar(DType::kInt64);

// number -> range(number)
Value RangeFunction() {
  ProgramBuilder builder;
  const int stop = builder.AddArg(kNumber);
  const int range =
      Must(builder.AddDataset(Args("range", {{"stop", Value{Slot{stop, kNumber}}}}), {}, ""));
  return Value{FunctionValue{builder.Finish({range}), {}}};
}

// The reduce_func of group_by_window: (key, elements) -> elements in batches
Value BatchFunction(const ElementSpec& spec) {
  TensorSpec elements = TensorSpec::Scalar(DType::kDataset);
  elements.element = std::make_shared<const ElementSpec>(spec);
  ProgramBuilder builder;
  builder.AddArg(kNumber);
  const int input = builder.AddArg(elements);
  const int batch = Must(builder.AddDataset(Args("batch", {{"batch_size", Int(2)}}),
                                            {Value{Slot{input, elements}}}, ""));
  return Value{FunctionValue{builder.Finish({batch}), {}}};
}

DatasetRef Batch(DatasetRef input, int64_t size) {
  return Made("batch", {{"batch_size", Int(size)}}, {std::move(input)});
}

DatasetRef Shuffle(DatasetRef input, int64_t size) {
  return Made("shuffle", {{"buffer_size", Int(size)}, {"seed", Int(7)}}, {std::move(input)});
}

DatasetRef Map(DatasetRef input, int64_t calls) {
  std::vector<int> all;
  for (size_t i = 0; i < input->spec().size(); ++i) all.push_back(static_cast<int>(i));
  Arguments args{{"function", Picks(input->spec(), all)}};
  if (calls > 0) args.emplace("num_parallel_calls", Int(calls));
  return Made("map", std::move(args), {std::move(input)});
}

DatasetRef Interleave(int64_t calls) {
  Arguments args{{"function", RangeFunction()}, {"cycle_length", Int(3)}, {"block_length", Int(2)}};
  if (calls > 0) args.emplace("num_parallel_calls", Int(calls));
  return Made("interleave", std::move(args), {Range(9)});
}

// What takes elements as they are.
void AddPlain(std::vector<DatasetRef>* all) {
  all->push_back(Range(12));
  all->push_back(Made("take", {{"count", Int(9)}},
                      {Made("skip", {{"count", Int(3)}}, {Made("counter", {})})}));
  all->push_back(Made("take", {{"count", Int(9)}}, {Made("random", {{"seed", Int(3)}})}));
  all->push_back(Made("repeat", {{"count", Int(3)}}, {Shuffle(Range(8), 3)}));
  all->push_back(Shuffle(Made("repeat", {{"count", Int(2)}}, {Slices({Texts()})}), 5));
  all->push_back(Made("zip", {}, {Range(9), Made("enumerate", {}, {Slices({Texts()})})}));
  all->push_back(Made("concatenate", {}, {Range(4), Range(5)}));
  all->push_back(Made("shard", {{"num_shards", Int(2)}, {"index", Int(1)}}, {Range(12)}));
  all->push_back(Made("unique", {}, {Slices({Numbers({1, 2, 1, 3, 3, 4})})}));
  all->push_back(Made("repeat", {{"count", Int(2)}}, {Made("cache", {}, {Range(6)})}));
  all->push_back(Made("prefetch", {{"buffer_size", Int(2)}}, {Range(12)}));
  all->push_back(Made("ignore_errors", {}, {Range(6)}));
  all->push_back(Made("assert_cardinality", {{"cardinality", Int(7)}}, {Range(6)}));
  all->push_back(Made("sample_from_datasets", {{"seed", Int(5)}}, {Range(6), Range(4)}));
  all->push_back(Made("choose_from_datasets", {},
                      {Slices({Numbers({0, 1, 1, 0, 1, 0})}), Range(6), Range(4)}));
}

// What gathers elements, or takes them apart.
void AddGathering(std::vector<DatasetRef>* all) {
  all->push_back(Batch(Range(11), 3));
  all->push_back(Made("unbatch", {}, {Batch(Range(11), 4)}));
  all->push_back(
      Made("rebatch", {{"batch_sizes", Value{ValueList{Int(2), Int(3)}}}}, {Batch(Range(11), 4)}));
  all->push_back(Made("padded_batch", {{"batch_size", Int(2)}}, {Batch(Range(11), 3)}));
  all->push_back(Made("ragged_batch", {{"batch_size", Int(2)}}, {Batch(Range(11), 3)}));
  const DatasetRef window =
      Made("window", {{"size", Int(3)}, {"shift", Int(2)}, {"stride", Int(2)}}, {Range(12)});
  all->push_back(Made("flat_map", {{"function", Picks(window->spec(), {0})}}, {window}));
  all->push_back(Made("group_by_window",
                      {{"key_func", Picks({kNumber}, {0})},
                       {"reduce_func", BatchFunction({kNumber})},
                       {"window_size", Int(2)}},
                      {Slices({Numbers({1, 2, 1, 2, 3, 3, 4})})}));
  all->push_back(Made("group_by_reducer",
                      {{"key", Picks({kNumber}, {0})},
                       {"init", Picks({kNumber}, {0})},
                       {"reduce", Picks({kNumber, kNumber}, {1})},
                       {"finalize", Picks({kNumber}, {0})}},
                      {Slices({Numbers({1, 2, 1, 2, 3, 3, 4})})}));
}

// What calls functions.
void AddFunctions(std::vector<DatasetRef>* all) {
  all->push_back(Map(Slices({Texts()}), 0));
  all->push_back(Map(Range(20), 2));
  all->push_back(Interleave(0));
  all->push_back(Interleave(2));
  all->push_back(Made("flat_map", {{"function", RangeFunction()}}, {Range(6)}));
  const DatasetRef pairs = Slices({Bools(12), Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  const Value first = Picks(pairs->spec(), {0});
  all->push_back(Made("filter", {{"predicate", first}}, {pairs}));
  all->push_back(Made("take_while", {{"predicate", first}}, {pairs}));
  const Value state{ValueList{Value{Tensor::Scalar<int64_t>(0)}, Value{Tensor::String("start")}}};
  const ElementSpec arguments = {kNumber, TensorSpec::Scalar(DType::kString), kNumber};
  all->push_back(Made("scan",
                      {{"function", Picks(arguments, {2, 1, 0, 1})}, {"initial_state", state}},
                      {Range(8)}));
  all->push_back(Made("reduce", {{"function", Picks(arguments, {2, 1})}, {"initial_state", state}},
                      {Range(8)}));
}

std::vector<DatasetRef> MakePipelines() {
  std::vector<DatasetRef> all;
  AddPlain(&all);
  AddGathering(&all);
  AddFunctions(&all);
  // Seeds that each process draws for itself.
  const DatasetRef drawn = Made("shuffle", {{"buffer_size", Int(3)}}, {Range(5)});
  all.push_back(
      Made("repeat", {{"count", Int(2)}},
           {Made("cache", {}, {Made("concatenate", {}, {Shuffle(Range(4), 2), drawn})})}));
  // Several at once, as pipelines are.
  const DatasetRef mapped = Map(Shuffle(Interleave(2), 4), 2);
  all.push_back(Made("prefetch", {{"buffer_size", Int(1)}},
                     {Made("repeat", {{"count", Int(2)}}, {Batch(mapped, 4)})}));
  return all;
}

}  // namespace

const std::vector<DatasetRef>& Pipelines() {
  static const std::vector<DatasetRef> all = MakePipelines();
  return all;
}

}  // namespace fastpipe::fuzz
