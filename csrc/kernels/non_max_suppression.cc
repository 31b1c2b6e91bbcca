// non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold, sigma): which
// boxes to keep, best first: greedily, those that do not overlap a better one too much.
//
// boxes [count, 4], float32: y1, x1, y2, x2, in any order of corners; scores [count], float32;
// max_output_size an int32 or int64 scalar; the others float32 scalars. With sigma > 0 an overlap
// lowers the score instead (Bodla et al., 2017). Results: indices, int32, and the scores.

#include <algorithm>
#include <cmath>
#include <queue>

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

struct Rectangle {
  explicit Rectangle(const float* box)
      : top(std::min(box[0], box[2])),
        left(std::min(box[1], box[3])),
        bottom(std::max(box[0], box[2])),
        right(std::max(box[1], box[3])) {}
  float Area() const { return (bottom - top) * (right - left); }

  float top, left, bottom, right;
};

// The area of the intersection over that of the union.
float Overlap(const Rectangle& a, const Rectangle& b) {
  if (!(a.Area() > 0) || !(b.Area() > 0)) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float common = std::max(height, 0.0f) * std::max(width, 0.0f);
  return common / (a.Area() + b.Area() - common);
}

struct Candidate {
  int32_t box = 0;
  float score = 0;
  size_t seen = 0;  // how many of the selected ones have lowered the score
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : box > other.box;
  }
};

struct Limits {
  size_t count = 0;
  float overlap = 0, score = 0, sigma = 0;
};

// Lowers the score by all selected boxes that it has not seen. False if one of them excludes it.
bool Rescore(const Limits& limits, const std::vector<Rectangle>& boxes,
             const std::vector<Candidate>& selected, Candidate* next) {
  const bool soft = limits.sigma > 0;
  for (size_t i = selected.size(); i-- > next->seen;) {
    const float overlap =
        Overlap(boxes[static_cast<size_t>(next->box)], boxes[static_cast<size_t>(selected[i].box)]);
    if (!soft && overlap > limits.overlap) return false;
    if (soft) next->score *= std::exp(-0.5f / limits.sigma * overlap * overlap);
    if (next->score <= limits.score) break;
  }
  next->seen = selected.size();
  return true;
}

std::vector<Candidate> Select(const Limits& limits, const std::vector<Rectangle>& boxes,
                              const float* scores) {
  std::priority_queue<Candidate> queue;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (scores[i] > limits.score) queue.push({static_cast<int32_t>(i), scores[i], 0});
  }
  std::vector<Candidate> selected;
  while (selected.size() < limits.count && !queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    if (!Rescore(limits, boxes, selected, &next)) continue;
    if (next.score == before) {
      selected.push_back(next);
    } else if (next.score > limits.score) {
      queue.push(next);
    }
  }
  return selected;
}

Status CheckShapes(const Args& attrs, const TensorSpec& boxes, const TensorSpec& scores) {
  const auto fits = [](int64_t size, int64_t expected) {
    return size < 0 || expected < 0 || size == expected;
  };
  bool good = !boxes.known_rank || (boxes.rank() == 2 && fits(boxes.dims[1], 4));
  if (good && scores.known_rank) {
    good = scores.rank() == 1 && (!boxes.known_rank || fits(scores.dims[0], boxes.dims[0]));
  }
  if (good) return Status::Ok();
  return attrs.Error(StrCat("takes boxes [count, 4] and a score for each, got ", boxes.ToString(),
                            " and ", scores.ToString()));
}

Result<Limits> ReadLimits(const Args& attrs, Inputs in) {
  Limits limits;
  FASTPIPE_ASSIGN(limits.overlap, FactorOf(attrs, *in[3], "iou_threshold"));
  FASTPIPE_ASSIGN(limits.score, FactorOf(attrs, *in[4], "score_threshold"));
  FASTPIPE_ASSIGN(limits.sigma, FactorOf(attrs, *in[5], "soft_nms_sigma"));
  if (in[2]->rank() != 0 || in[2]->AsInt64() < 0) {
    return attrs.Error("max_output_size must be a scalar of at least 0");
  }
  limits.count = static_cast<size_t>(in[2]->AsInt64());
  if (limits.overlap >= 0 && limits.overlap <= 1) return limits;
  return attrs.Error(StrCat("iou_threshold must be from 0 to 1, got ", limits.overlap));
}

Status Run(const Args& attrs, Inputs in, Outputs out) {
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(attrs, TensorSpec::Of(*in[0]), TensorSpec::Of(*in[1])));
  FASTPIPE_ASSIGN(const Limits limits, ReadLimits(attrs, in));
  std::vector<Rectangle> boxes;
  for (int64_t i = 0; i < in[0]->dim(0); ++i) boxes.emplace_back(in[0]->data<float>() + 4 * i);
  const std::vector<Candidate> selected = Select(limits, boxes, in[1]->data<float>());
  const int64_t dims[] = {static_cast<int64_t>(selected.size())};
  int32_t* indices = out[0].Allocate<int32_t>(dims);
  float* scores = out[1].Allocate<float>(dims);
  for (const Candidate& each : selected) {
    *indices++ = each.box;
    *scores++ = each.score;
  }
  return Status::Ok();
}

Result<KernelPlan> PlanNonMaxSuppression(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 6));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(attrs, inputs[0], inputs[1]));
  if (!IsInteger(inputs[2].dtype)) {
    return attrs.Error(StrCat("max_output_size must be an integer, got ", inputs[2].ToString()));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 3, "iou_threshold"));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 4, "score_threshold"));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 5, "soft_nms_sigma"));
  return KernelPlan{
      {TensorSpec::Of(DType::kInt32, {-1}), TensorSpec::Of(DType::kFloat32, {-1})},
      KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) { return Run(attrs, in, out); })};
}

FASTPIPE_KERNEL("non_max_suppression", PlanNonMaxSuppression);

}  // namespace
}  // namespace fastpipe
