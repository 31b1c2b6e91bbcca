// RecordWriter: writes a TFRecord file, as RecordReader reads it and TensorFlow writes it.
// Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "io/output_stream.h"

namespace fastpipe {

class RecordWriter {
 public:
  explicit RecordWriter(std::unique_ptr<OutputStream> stream) : stream_(std::move(stream)) {}

  Status Write(std::string_view record);
  Status Flush() { return stream_->Flush(); }
  Status Close() { return stream_->Close(); }

 private:
  const std::unique_ptr<OutputStream> stream_;
};

}  // namespace fastpipe
