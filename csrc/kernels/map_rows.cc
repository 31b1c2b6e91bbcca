// map_rows(elements..., captures...): `function` of each row of the elements, its results stacked.
// fold_rows(states..., elements..., captures...): `function` of the states and each row gives the
// next
//   states; the last of them, or with `collect` all of them stacked. `reverse` starts at the last
//   row.
//
// Attributes: function, num_elements, and for fold_rows num_states and signature, the specs of the
// states that the function was traced with. All elements have equally many
// rows.

#include <algorithm>

#include "core/cancel.h"
#include "core/program.h"
#include "core/registry.h"
#include "core/stack.h"

namespace fastpipe {
namespace {

// How many rows `elements` have. InvalidArgument if that differs.
Result<int64_t> RowsOf(const Args& attrs, Inputs elements) {
  for (const Tensor* each : elements) {
    if (each->rank() > 0 && each->dim(0) == elements[0]->dim(0)) continue;
    return attrs.Error(StrCat("elements must have equally many rows, got shapes ",
                              ShapeString(elements[0]->dims()), " and ",
                              ShapeString(each->dims())));
  }
  return elements[0]->dim(0);
}

// The same of specs: -1 if it is not known.
Result<int64_t> RowsOf(const Args& attrs, Specs elements) {
  if (elements.empty()) return attrs.Error("takes one tensor or more");
  int64_t rows = -1;
  for (const TensorSpec& each : elements) {
    if (!each.known_rank) continue;
    if (each.dims.empty() || (rows >= 0 && each.dims[0] >= 0 && each.dims[0] != rows)) {
      return attrs.Error(
          StrCat("elements must have equally many rows, got ", each.ToString(), " among them"));
    }
    if (each.dims[0] >= 0) rows = each.dims[0];
  }
  return rows;
}

// Results of no rows: of `spec`, with unknown sizes as 0.
Tensor NoRows(const TensorSpec& spec) {
  std::vector<int64_t> dims{0};
  for (int64_t dim : spec.dims) dims.push_back(std::max<int64_t>(dim, 0));
  if (spec.dtype == DType::kString) return StringArrayBuilder().Build(dims);
  return Tensor::Allocate(spec.dtype, dims);
}

Status GiveStacked(const std::vector<Element>& rows, const ElementSpec& specs, Outputs out) {
  Element stacked;
  if (!rows.empty()) FASTPIPE_RETURN_IF_ERROR(StackElements(rows, &stacked));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].Set(rows.empty() ? NoRows(specs[i]) : std::move(stacked[i]));
  }
  return Status::Ok();
}

class Rows final : public Kernel {
 public:
  Rows(Args attrs, Function function, size_t states, size_t elements, bool collect, bool reverse)
      : attrs_(std::move(attrs)),
        function_(std::move(function)),
        states_(states),
        elements_(elements),
        collect_(collect),
        reverse_(reverse) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    const Inputs elements = in.subspan(states_, elements_);
    FASTPIPE_ASSIGN(const int64_t rows, RowsOf(attrs_, elements));
    std::vector<Tensor> captures;
    for (const Tensor* each : in.subspan(states_ + elements_)) captures.push_back(*each);
    Element states;
    for (const Tensor* each : in.first(states_)) states.push_back(*each);
    std::vector<Element> results;
    Program::Scratch scratch;
    // Every row draws random numbers of its own.
    KernelContext row_context = *context;
    row_context.random = context->random.Within(RandomKey::Part::kElement, context->element);
    for (int64_t i = 0; i < rows; ++i) {
      if (context->cancel && context->cancel->cancelled()) {
        return Cancelled(StrCat(attrs_.owner(), ": cancelled"));
      }
      Element args = states;
      for (const Tensor* each : elements) args.push_back(each->Row(reverse_ ? rows - 1 - i : i));
      row_context.element = i;
      Element result;
      FASTPIPE_RETURN_IF_ERROR(
          function_.program->Run(&row_context, args, captures, &scratch, &result));
      if (states_ > 0) states = result;
      if (collect_) results.push_back(std::move(result));
    }
    if (collect_) {
      if (reverse_) std::reverse(results.begin(), results.end());
      return GiveStacked(results, function_.program->output_specs(), out);
    }
    for (size_t i = 0; i < out.size(); ++i) out[i].Set(std::move(states[i]));
    return Status::Ok();
  }

 private:
  const Args attrs_;
  const Function function_;
  const size_t states_;
  const size_t elements_;
  const bool collect_;
  const bool reverse_;
};

Result<KernelPlan> PlanMapRows(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(Function function, attrs.Func("function"));
  FASTPIPE_ASSIGN(
      const int64_t elements,
      attrs.Int("num_elements", {.min = 1, .max = static_cast<int64_t>(inputs.size())}));
  const size_t count = static_cast<size_t>(elements);
  FASTPIPE_ASSIGN(const int64_t rows, RowsOf(attrs, inputs.first(count)));
  ElementSpec outputs = StackedSpec(function.program->output_specs(), rows);
  return KernelPlan{std::move(outputs), std::make_shared<const Rows>(attrs, std::move(function), 0,
                                                                     count, true, false)};
}

Result<KernelPlan> PlanFoldRows(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(Function function, attrs.Func("function"));
  const int64_t most = static_cast<int64_t>(inputs.size());
  FASTPIPE_ASSIGN(const int64_t states, attrs.Int("num_states", {.min = 1, .max = most}));
  FASTPIPE_ASSIGN(const int64_t elements,
                  attrs.Int("num_elements", {.min = 1, .max = most - states}));
  FASTPIPE_ASSIGN(const bool collect, attrs.BoolOr("collect", false));
  FASTPIPE_ASSIGN(const bool reverse, attrs.BoolOr("reverse", false));
  const size_t first = static_cast<size_t>(states);
  const size_t count = static_cast<size_t>(elements);
  FASTPIPE_ASSIGN(const int64_t rows, RowsOf(attrs, inputs.subspan(first, count)));
  const ElementSpec& next = function.program->output_specs();
  if (next.size() != first) {
    return attrs.Error(
        StrCat("the function returns ", next.size(), " tensors for ", first, " states"));
  }
  FASTPIPE_ASSIGN(ElementSpec outputs, attrs.Signature("signature"));
  for (size_t i = 0; i < first; ++i) {
    if (outputs[i].Accepts(inputs[i]) && outputs[i].Accepts(next[i])) continue;
    return attrs.Error(StrCat("state ", i, " starts as ", inputs[i].ToString(), " and becomes ",
                              next[i].ToString()));
  }
  if (collect) outputs = StackedSpec(next, rows);
  return KernelPlan{
      std::move(outputs),
      std::make_shared<const Rows>(attrs, std::move(function), first, count, collect, reverse)};
}

FASTPIPE_KERNEL("map_rows", PlanMapRows);
FASTPIPE_KERNEL("fold_rows", PlanFoldRows);

}  // namespace
}  // namespace fastpipe
