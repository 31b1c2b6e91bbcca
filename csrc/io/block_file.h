// BlockWriter and BlockReader: a file of numbered records that can be entered anywhere. What save,
// cache and snapshot write; docs/saved-dataset.md describes the bytes.
//
// Contract: records are gathered into blocks of about 64 KiB, compressed or not, with a checksum
// for each record. An index at the end of the file leads to every record without reading others. A
// file without its end is one that was not finished, or was cut: what can be found in it is given.
// A damaged record costs itself; a damaged block its records. Errors name file and offset.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/compressor.h"
#include "io/decompressor.h"
#include "io/file_system.h"
#include "io/output_file.h"

namespace fastpipe {

class BlockWriter {
 public:
  // Without a compressor blocks are stored as they are.
  BlockWriter(std::unique_ptr<OutputFile> file, std::unique_ptr<Compressor> compressor)
      : file_(std::move(file)), compressor_(std::move(compressor)) {}
  static Result<std::unique_ptr<BlockWriter>> Create(const std::string& path,
                                                     Compression compression);

  Status Append(std::string_view record);
  // Writes what is left, and the index; the file is on the disk then. Nothing may follow.
  Status Finish();

  int64_t records() const { return records_; }
  uint64_t bytes() const { return file_->offset(); }

 private:
  Status WriteBlock();

  const std::unique_ptr<OutputFile> file_;
  const std::unique_ptr<Compressor> compressor_;
  int64_t records_ = 0;
  std::string data_;       // of the block that is being gathered
  std::string directory_;  // of its records
  uint32_t gathered_ = 0;
  std::string index_;  // of the blocks written
  uint64_t blocks_ = 0;
};

class BlockReader {
 public:
  // A record, which lies in `buffer`, aligned to 8 bytes, from 1 KiB on to 64.
  struct Record {
    std::string_view bytes;
    BufferRef buffer;
  };

  BlockReader(std::unique_ptr<File> file, Compression compression)
      : file_(std::move(file)), compression_(compression) {}
  // DataLoss if the file is none of these.
  static Result<std::unique_ptr<BlockReader>> Open(std::unique_ptr<File> file);

  // Records that can be found.
  int64_t records() const { return records_; }
  // What is wrong with the file as a whole: that records are missing from its end.
  const Status& damage() const { return damage_; }
  // REQUIRES: 0 <= number < records()
  Status Read(int64_t number, Record* record);

 private:
  struct Block {
    uint64_t offset = 0;
    int64_t first = 0;  // number of its first record
  };
  struct Entry {
    uint32_t begin, size, checksum;
  };

  Status ReadIndex(uint64_t size);
  Status FindBlocks(uint64_t size);
  // Reads exactly `size` bytes.
  Status ReadFully(uint64_t offset, uint8_t* bytes, size_t size);
  Status LoadBlock(size_t block);
  Status Unpack(size_t block, const BufferRef& stored, size_t stored_size, uint64_t raw_size);
  Status BadBlock(size_t block, std::string_view what) const;
  uint64_t EndOf(size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].offset : end_;
  }

  std::unique_ptr<File> file_;
  const Compression compression_;
  int64_t records_ = 0;
  std::vector<Block> blocks_;
  uint64_t end_ = 0;   // of the last block
  uint64_t size_ = 0;  // of the file
  Status damage_;

  size_t loaded_ = SIZE_MAX;  // the block that is in memory
  Status loaded_status_;      // of it as a whole
  std::vector<Entry> entries_;
  BufferRef buffer_;  // its data
  uint8_t* data_ = nullptr;
  size_t data_size_ = 0;
  Status short_;  // why data_size_ is less than it should be
};

}  // namespace fastpipe
