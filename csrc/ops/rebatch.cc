// rebatch(batch_sizes, drop_remainder): cuts the rows of batched elements anew into batches of the
// given sizes, in turn.

#include <algorithm>
#include <deque>

#include "core/registry.h"
#include "core/stack.h"
#include "ops/replayed_input.h"

namespace fastpipe {
namespace {

// How many results of the input pass between two notes of its position.
constexpr int64_t kResultsPerPlace = 8;

class Rebatch final : public Dataset {
 public:
  Rebatch(ElementSpec spec, DatasetRef input, std::vector<int64_t> batch_sizes, bool drop_remainder)
      : Dataset(std::move(spec), {input}),
        batch_sizes_(std::move(batch_sizes)),
        drop_remainder_(drop_remainder) {}
  const std::vector<int64_t>& batch_sizes() const { return batch_sizes_; }
  bool drop_remainder() const { return drop_remainder_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::vector<int64_t> batch_sizes_;
  const bool drop_remainder_;
};

// Rows [begin, begin + count) of an element.
struct Slice {
  const Element* element;
  int64_t begin;
  int64_t count;
};

Status ExpectEqualRows(const std::vector<Slice>& slices, size_t component) {
  const Dims first = (*slices[0].element)[component].dims();
  for (const Slice& slice : slices) {
    const Dims dims = (*slice.element)[component].dims();
    if (!std::equal(first.begin() + 1, first.end(), dims.begin() + 1, dims.end())) {
      return InvalidArgument(StrCat("cannot join rows of component ", component,
                                    " of elements of shapes ", ShapeString(first), " and ",
                                    ShapeString(dims)));
    }
  }
  return Status::Ok();
}

Tensor JoinStrings(const std::vector<Slice>& slices, size_t component, Dims dims) {
  const int64_t row = NumElements(dims.subspan(1));
  std::vector<std::string_view> texts;
  for (const Slice& slice : slices) {
    const Tensor& tensor = (*slice.element)[component];
    const int64_t begin = slice.begin * row;
    for (int64_t i = 0; i < slice.count * row; ++i) texts.push_back(tensor.str(begin + i));
  }
  return StringArrayFrom(dims, [&](int64_t i) { return texts[static_cast<size_t>(i)]; });
}

Tensor JoinNumbers(const std::vector<Slice>& slices, size_t component, Dims dims) {
  Tensor joined = Tensor::Allocate((*slices[0].element)[component].dtype(), dims);
  const size_t row = DTypeSize(joined.dtype()) * static_cast<size_t>(NumElements(dims.subspan(1)));
  uint8_t* target = joined.mutable_raw();
  for (const Slice& slice : slices) {
    const size_t bytes = row * static_cast<size_t>(slice.count);
    const uint8_t* rows = (*slice.element)[component].raw();
    std::memcpy(target, rows + row * static_cast<size_t>(slice.begin), bytes);
    target += bytes;
  }
  return joined;
}

Status Join(const std::vector<Slice>& slices, Element* out) {
  int64_t total = 0;
  for (const Slice& slice : slices) total += slice.count;
  for (size_t i = 0; i < slices[0].element->size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(ExpectEqualRows(slices, i));
    const Tensor& first = (*slices[0].element)[i];
    std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
    dims[0] = total;
    out->push_back(first.is_string() ? JoinStrings(slices, i, dims) : JoinNumbers(slices, i, dims));
  }
  return Status::Ok();
}

class RebatchIterator final : public IteratorOf<Rebatch> {
 public:
  RebatchIterator(const Rebatch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        input_(op.inputs().front()->MakeIterator(context), kResultsPerPlace) {}

 private:
  // An element of the input of which some rows are still to be delivered.
  struct Piece {
    Element element;
    int64_t rows = 0;
    int64_t result = 0;  // its number in the input
  };

  Status Produce(Element* out) override {
    const int64_t size = op().batch_sizes()[turn_];
    while (available_ < size) {
      Status status = PullPiece();
      if (status.end_of_sequence()) break;
      FASTPIPE_RETURN_IF_ERROR(std::move(status));
    }
    const int64_t count = std::min(size, available_);
    if (count == 0 || (count < size && op().drop_remainder())) return Status::EndOfSequence();
    Status status = JoinFront(count, out);
    DropFront(count);
    turn_ = (turn_ + 1) % op().batch_sizes().size();
    return status;
  }

  Status PullPiece() {
    Piece piece;
    piece.result = input_.pulled();
    Status status = input_.Next(&piece.element);
    if (status.ok()) status = CountRows(piece.element, &piece.rows);
    if (status.ok() && piece.rows > 0) {
      available_ += piece.rows;
      pieces_.push_back(std::move(piece));
    }
    return status;
  }

  Status JoinFront(int64_t count, Element* out) {
    std::vector<Slice> slices;
    int64_t begin = first_row_;
    for (const Piece& piece : pieces_) {
      const int64_t rows = std::min(count, piece.rows - begin);
      slices.push_back({&piece.element, begin, rows});
      count -= rows;
      begin = 0;
      if (count == 0) break;
    }
    return Join(slices, out);
  }

  void DropFront(int64_t count) {
    available_ -= count;
    first_row_ += count;
    while (!pieces_.empty() && first_row_ >= pieces_.front().rows) {
      first_row_ -= pieces_.front().rows;
      pieces_.pop_front();
    }
    input_.Release(pieces_.empty() ? input_.pulled() : pieces_.front().result);
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(static_cast<int64_t>(turn_));
    writer->PutInt(first_row_);
    return input_.Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    turn_ =
        static_cast<size_t>(reader->GetCount(static_cast<int64_t>(op().batch_sizes().size()) - 1));
    const int64_t first_row = reader->GetCount();
    const auto has_room = [&] { return available_ - first_row < op().batch_sizes()[turn_]; };
    FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, has_room, [this] { return PullPiece(); }));
    if (first_row > available_) return DataLoss("the saved iterator position is damaged");
    DropFront(first_row);
    return Status::Ok();
  }

  ReplayedInput input_;
  size_t turn_ = 0;  // which of the batch sizes is next
  std::deque<Piece> pieces_;
  int64_t first_row_ = 0;  // of the first piece: the first row not yet delivered
  int64_t available_ = 0;  // rows in pieces_ not yet delivered
};

std::unique_ptr<Iterator> Rebatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<RebatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRebatch(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const bool drop_remainder, args.BoolOr("drop_remainder", false));
  std::vector<int64_t> sizes = {1};
  if (!args.IsPlaceholder("batch_sizes")) {
    FASTPIPE_ASSIGN(sizes, args.Ints("batch_sizes"));
  }
  if (sizes.empty()) return args.Error("batch_sizes must hold at least one size, got none");
  for (int64_t size : sizes) {
    if (size < 1) return args.Error(StrCat("batch_sizes must be >= 1, got ", size));
  }
  ElementSpec rows = inputs[0]->spec();
  int64_t given = -1;  // rows of every element of the input
  const Status status = UnstackSpec(&rows, &given);
  if (!status.ok()) return args.Error(status.message());
  const bool equal =
      std::count(sizes.begin(), sizes.end(), sizes[0]) == static_cast<int64_t>(sizes.size());
  const bool whole = drop_remainder || (given > 0 && given % sizes[0] == 0);
  const bool fixed = whole && equal && !args.IsPlaceholder("batch_sizes");
  ElementSpec spec = StackedSpec(rows, fixed ? sizes[0] : -1);
  return std::make_shared<Rebatch>(std::move(spec), inputs[0], std::move(sizes), drop_remainder);
}

FASTPIPE_OP("rebatch", MakeRebatch);

}  // namespace
}  // namespace fastpipe
