#include "codec/gif.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fastpipe {
namespace {

constexpr int64_t kChannels = 3;
// Of pixels that a byte of data can give: codes have three bits at least, and stand for at most as
// many pixels as there are codes.
constexpr int64_t kMaxPixelsPerByte = 4096 * 8 / 3 + 1;

// Of all frames, at which no long animation is suspicious.
constexpr int64_t kUsualPixelsPerByte = 1000;

int ReadBytes(GifFileType* file, GifByteType* to, int size) {
  auto* left = static_cast<std::string_view*>(file->UserData);
  const size_t count = std::min<size_t>(left->size(), static_cast<size_t>(std::max(size, 0)));
  if (count > 0) std::memcpy(to, left->data(), count);
  left->remove_prefix(count);
  return static_cast<int>(count);
}

std::string ErrorText(int code) {
  if (code == D_GIF_ERR_READ_FAILED || code == D_GIF_ERR_EOF_TOO_SOON ||
      code == D_GIF_ERR_NO_SCRN_DSCR) {
    return "the data end too early";
  }
  if (code == D_GIF_ERR_DATA_TOO_BIG) return "there are more pixels than the frame has";
  const char* text = GifErrorString(code);
  return text != nullptr ? text : "the data are damaged";
}

// One pass over the records of a file.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(std::make_unique<std::string_view>(bytes)) {}

  Status Open() {
    int error = 0;
    file_.reset(DGifOpen(left_.get(), ReadBytes, &error));
    if (file_ != nullptr) return Status::Ok();
    if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return OutOfMemory();
    return InvalidArgument(ErrorText(error));
  }

  // Moves to the next frame, `*found`, or to the trailer. Sets frame() and transparent().
  Status NextFrame(bool* found) {
    *found = false;
    transparent_ = NO_TRANSPARENT_COLOR;
    bool controlled = false;
    for (;;) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(file_.get(), &type) != GIF_OK) return Error();
      if (type == TERMINATE_RECORD_TYPE) return Status::Ok();
      if (type == IMAGE_DESC_RECORD_TYPE) break;
      if (type == EXTENSION_RECORD_TYPE) FASTPIPE_RETURN_IF_ERROR(ReadExtension(&controlled));
    }
    if (DGifGetImageDesc(file_.get()) != GIF_OK) return Error();
    if (frame().Width <= 0 || frame().Height <= 0) {
      return InvalidArgument(StrCat("it has ", frame().Width, " x ", frame().Height, " pixels"));
    }
    *found = true;
    return Status::Ok();
  }

  // Steps over the frame's data and adds their number of bytes.
  Status SkipData(int64_t* bytes) {
    int code_size = 0;
    GifByteType* block = nullptr;
    if (DGifGetCode(file_.get(), &code_size, &block) != GIF_OK) return Error();
    while (block != nullptr) {
      *bytes += block[0];
      if (DGifGetCodeNext(file_.get(), &block) != GIF_OK) return Error();
    }
    return Status::Ok();
  }

  Status ReadRow(std::vector<GifPixelType>* row) {
    const bool good =
        DGifGetLine(file_.get(), row->data(), static_cast<int>(row->size())) == GIF_OK;
    return good ? Status::Ok() : Error();
  }

  const GifImageDesc& frame() const { return file_->Image; }
  int transparent() const { return transparent_; }
  const ColorMapObject* colors() const {
    return frame().ColorMap != nullptr ? frame().ColorMap : file_->SColorMap;
  }

 private:
  struct Close {
    void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
  };

  static Status OutOfMemory() {
    return Status(Code::kResourceExhausted, "no memory for a GIF decoder");
  }

  Status Error() const {
    if (file_->Error == D_GIF_ERR_NOT_ENOUGH_MEM) return OutOfMemory();
    return InvalidArgument(ErrorText(file_->Error));
  }

  // The first graphics control before a frame says which of its colours is transparent.
  Status ReadExtension(bool* controlled) {
    int kind = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(file_.get(), &kind, &block) != GIF_OK) return Error();
    if (kind == GRAPHICS_EXT_FUNC_CODE && block != nullptr && !*controlled) {
      *controlled = true;
      GraphicsControlBlock control;
      if (DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
        transparent_ = control.TransparentColor;
      }
    }
    while (block != nullptr) {
      if (DGifGetExtensionNext(file_.get(), &block) != GIF_OK) return Error();
    }
    return Status::Ok();
  }

  std::unique_ptr<std::string_view> left_;  // what giflib has not read yet; it holds the address
  std::unique_ptr<GifFileType, Close> file_;
  int transparent_ = NO_TRANSPARENT_COLOR;
};

struct Canvas {
  uint8_t* pixels;
  int64_t height;
  int64_t width;
};

// The rows of a frame in the order of the data.
std::vector<int> RowOrder(const GifImageDesc& frame) {
  std::vector<int> rows;
  rows.reserve(static_cast<size_t>(frame.Height));
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < (frame.Interlace ? 4 : 1); ++pass) {
    const int step = frame.Interlace ? kStep[pass] : 1;
    for (int y = kFirst[pass]; y < frame.Height; y += step) rows.push_back(y);
  }
  return rows;
}

Status DrawRow(const std::vector<GifPixelType>& row, const Reader& reader, int y,
               const Canvas& canvas) {
  const GifImageDesc& frame = reader.frame();
  const int64_t below = int64_t{frame.Top} + y;
  if (below < 0 || below >= canvas.height) return Status::Ok();
  const ColorMapObject& colors = *reader.colors();
  const int64_t end = std::min<int64_t>(frame.Width, canvas.width - frame.Left);
  for (int64_t x = std::max(0, -frame.Left); x < end; ++x) {
    const int index = row[static_cast<size_t>(x)];
    if (index == reader.transparent()) continue;
    if (index >= colors.ColorCount) {
      return InvalidArgument(
          StrCat("a pixel has colour ", index, " of a map of ", colors.ColorCount));
    }
    const GifColorType& color = colors.Colors[index];
    uint8_t* to = canvas.pixels + (below * canvas.width + frame.Left + x) * kChannels;
    to[0] = color.Red;
    to[1] = color.Green;
    to[2] = color.Blue;
  }
  return Status::Ok();
}

Status DrawFrame(Reader* reader, const Canvas& canvas) {
  if (reader->colors() == nullptr) return InvalidArgument("there is no colour map");
  std::vector<GifPixelType> row(static_cast<size_t>(reader->frame().Width));
  for (int y : RowOrder(reader->frame())) {
    FASTPIPE_RETURN_IF_ERROR(reader->ReadRow(&row));
    FASTPIPE_RETURN_IF_ERROR(DrawRow(row, *reader, y, canvas));
  }
  return Status::Ok();
}

}  // namespace

Status GifDecoder::Failure(std::string_view what) const {
  return InvalidArgument(StrCat("cannot decode GIF of ", bytes_.size(), " bytes: ", what));
}

Status GifDecoder::Start(std::string_view bytes, const GifOptions& options, GifInfo* info) {
  bytes_ = bytes;
  info_ = {};
  Reader reader(bytes);
  Status status = reader.Open();
  int64_t frames = 0;
  for (bool found = true; status.ok();) {
    status = reader.NextFrame(&found);
    if (!status.ok() || !found) break;
    const GifImageDesc& frame = reader.frame();
    info_.width = std::max<int64_t>(info_.width, frame.Width);
    info_.height = std::max<int64_t>(info_.height, frame.Height);
    const int64_t pixels = int64_t{frame.Width} * frame.Height;
    int64_t data = 0;
    status = reader.SkipData(&data);
    if (status.ok() && pixels / kMaxPixelsPerByte > data) {
      status = InvalidArgument("the data end too early");
    }
    if (status.ok()) ++frames;
  }
  if (status.code() == Code::kResourceExhausted) return status;
  if (!status.ok()) return Failure(StrCat(status.message(), ", in frame ", frames));
  if (frames == 0) return Failure("it has no frames");
  info_.frames = options.first_frame_only ? 1 : frames;
  const int64_t canvas = info_.width * info_.height;
  const std::string size = StrCat(info_.width, " x ", info_.height, " pixels");
  if (canvas > options.max_pixels) {
    return Failure(StrCat(size, " are more than the limit of ", options.max_pixels));
  }
  const int64_t most =
      std::max(options.max_pixels, kUsualPixelsPerByte * static_cast<int64_t>(bytes.size()));
  if (info_.frames > most / canvas) {
    return Failure(StrCat(info_.frames, " frames of ", size, " are more than the limit of ", most));
  }
  *info = info_;
  return Status::Ok();
}

Status GifDecoder::ReadInto(uint8_t* pixels) {
  const auto frame_bytes = static_cast<size_t>(info_.height * info_.width * kChannels);
  Reader reader(bytes_);
  Status status = reader.Open();
  for (int64_t k = 0; k < info_.frames && status.ok(); ++k) {
    uint8_t* to = pixels + static_cast<size_t>(k) * frame_bytes;
    if (k == 0) {
      std::memset(to, 0, frame_bytes);
    } else {
      std::memcpy(to, to - frame_bytes, frame_bytes);
    }
    bool found = false;
    status = reader.NextFrame(&found);
    if (status.ok() && !found) status = InvalidArgument("the data end too early");
    if (status.ok()) status = DrawFrame(&reader, {to, info_.height, info_.width});
    if (!status.ok() && status.code() != Code::kResourceExhausted) {
      status = Failure(StrCat(status.message(), ", in frame ", k));
    }
  }
  return status;
}

}  // namespace fastpipe
