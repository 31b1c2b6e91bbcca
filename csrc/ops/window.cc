// window(size, shift, stride, drop_remainder, parts): datasets of `size` elements, `stride` apart,
// the first of each `shift` after the first of the one before; one dataset for each component.

#include <algorithm>
#include <deque>

#include "core/composite.h"
#include "core/registry.h"
#include "ops/held_elements.h"
#include "ops/replayed_input.h"

namespace fastpipe {
namespace {

class Window final : public Dataset {
 public:
  struct Settings {
    int64_t size = 1;
    int64_t shift = 1;
    int64_t stride = 1;
    bool drop_remainder = false;
    // How many elements a full window reaches over.
    int64_t span() const {
      return size - 1 > (INT64_MAX - 1) / stride ? INT64_MAX : (size - 1) * stride + 1;
    }
  };

  Window(ElementSpec spec, Components components, DatasetRef input, const Settings& settings)
      : Dataset(std::move(spec), {input}),
        components_(std::move(components)),
        settings_(settings) {}
  const Components& components() const { return components_; }
  const Settings& settings() const { return settings_; }

  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    if (size < 0) return size;
    if (settings_.drop_remainder) {
      return size < settings_.span() ? 0 : (size - settings_.span()) / settings_.shift + 1;
    }
    return size / settings_.shift + (size % settings_.shift != 0 ? 1 : 0);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Components components_;
  const Settings settings_;
};

class WindowIterator final : public IteratorOf<Window> {
 public:
  WindowIterator(const Window& op, const IteratorContext& context)
      : IteratorOf(op, context),
        input_(op.inputs().front()->MakeIterator(context), op.settings().span()) {}

 private:
  struct Held {
    Element element;
    int64_t result = 0;  // its number in the input
  };

  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(FillBuffer());
    if (buffer_.empty() || (has_room() && op().settings().drop_remainder)) {
      return Status::EndOfSequence();
    }
    MakeWindows(out);
    Shift();
    return Status::Ok();
  }

  bool has_room() const { return static_cast<int64_t>(buffer_.size()) < op().settings().span(); }

  // An error passes at once; what is buffered stays for the windows to come.
  Status FillBuffer() {
    while (!input_ended_ && has_room()) {
      Status status = PullOne();
      if (!status.ok() && !status.end_of_sequence()) return status;
    }
    return Status::Ok();
  }

  // Pulls one result; an element goes to the buffer unless it lies between two windows.
  Status PullOne() {
    Held held;
    held.result = input_.pulled();
    Status status = input_.Next(&held.element);
    if (status.end_of_sequence()) input_ended_ = true;
    if (!status.ok()) return status;
    if (gap_ > 0) {
      --gap_;
      if (buffer_.empty()) input_.ReleaseAll();
    } else {
      buffer_.push_back(std::move(held));
    }
    return status;
  }

  void MakeWindows(Element* out) const {
    const size_t stride = static_cast<size_t>(op().settings().stride);
    const ElementSpec& spec = op().inputs().front()->spec();
    for (const Component& component : op().components()) {
      const auto first = spec.begin() + static_cast<std::ptrdiff_t>(component.first);
      const ElementSpec part(first, first + static_cast<std::ptrdiff_t>(component.count));
      std::vector<Element> column;
      for (size_t i = 0; i < buffer_.size(); i += stride) {
        const Tensor* tensors = buffer_[i].element.begin() + component.first;
        Element row;
        for (size_t t = 0; t < component.count; ++t) row.push_back(tensors[t]);
        column.push_back(std::move(row));
        if (buffer_.size() - i <= stride) break;  // i + stride may be beyond any number
      }
      out->push_back(TensorOf(HoldElements(part, std::move(column), op().label())));
    }
  }

  void Shift() {
    const int64_t dropped = std::min(op().settings().shift, static_cast<int64_t>(buffer_.size()));
    buffer_.erase(buffer_.begin(), buffer_.begin() + dropped);
    gap_ = op().settings().shift - dropped;
    input_.Release(buffer_.empty() ? input_.pulled() : buffer_.front().result);
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(gap_);
    return input_.Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    const int64_t gap = reader->GetCount();
    FASTPIPE_RETURN_IF_ERROR(
        input_.Restore(reader, [this] { return has_room(); }, [this] { return PullOne(); }));
    gap_ = gap;
    return Status::Ok();
  }

  ReplayedInput input_;
  std::deque<Held> buffer_;  // what the next window begins with
  int64_t gap_ = 0;          // elements to pass over before it begins
  bool input_ended_ = false;
};

std::unique_ptr<Iterator> Window::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<WindowIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeWindow(const Args& args, std::vector<DatasetRef> inputs) {
  Window::Settings settings;
  FASTPIPE_ASSIGN(settings.size, args.Int("size", {.min = 1}));
  FASTPIPE_ASSIGN(settings.shift, args.IntOr("shift", settings.size, {.min = 1}));
  FASTPIPE_ASSIGN(settings.stride, args.IntOr("stride", 1, {.min = 1}));
  FASTPIPE_ASSIGN(settings.drop_remainder, args.BoolOr("drop_remainder", false));
  ElementSpec spec;
  FASTPIPE_ASSIGN(Components components, ReadComponents(args, inputs[0]->spec()));
  for (const Component& component : components) {
    const auto first = inputs[0]->spec().begin() + static_cast<std::ptrdiff_t>(component.first);
    spec.push_back(DatasetSpec({first, first + static_cast<std::ptrdiff_t>(component.count)}));
  }
  return std::make_shared<Window>(std::move(spec), std::move(components), inputs[0], settings);
}

FASTPIPE_OP("window", MakeWindow);

}  // namespace
}  // namespace fastpipe
