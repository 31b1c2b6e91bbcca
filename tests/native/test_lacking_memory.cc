// Memory that lacks anywhere while bytes are parsed, in C libraries too: the k-th malloc of the
// thread fails, for each k. A sanitizer has a malloc of its own, so these run without. WebP is left
// out: Debian's libwebp 1.2.4 itself crashes, within WebPDecode.

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "corpora.h"

namespace {

thread_local int64_t calls_to_go = 0;  // 0: none fails

bool Strikes() {
  if (calls_to_go == 0 || --calls_to_go > 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);

// In the place of those of the C library, for all libraries of this program.
void* malloc(size_t size) noexcept { return Strikes() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) noexcept {
  return Strikes() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  return Strikes() ? nullptr : __libc_realloc(memory, size);
}

}  // extern "C"

namespace fastpipe {
namespace {

// Each of the first, then fewer and fewer.
constexpr int64_t kEach = 64;

// Whether the input was read to its end without call `number` of malloc. What fails then is
// whatever lacks memory: that the process goes on, and the next input, is what counts.
bool RunsWithout(fuzz::Target target, std::string_view bytes, int64_t number) {
  calls_to_go = number;
  try {
    target(bytes);
  } catch (const std::bad_alloc&) {
  } catch (const std::logic_error&) {
  }
  const bool struck = calls_to_go == 0;
  calls_to_go = 0;
  return !struck;
}

void LackMemory(const std::string& name) {
  const fuzz::Target target = fuzz::Targets().at(name);
  int64_t failed = 0;
  for (const CorpusFile& file : CorpusOf(name)) {
    CAPTURE(file.path);
    target(file.bytes());  // without memory for what a thread keeps, the C library aborts
    int64_t number = 1;
    while (!RunsWithout(target, file.bytes(), number)) {
      ++failed;
      number += 1 + number / kEach;
    }
    CHECK_NOTHROW(target(file.bytes()));
  }
  CHECK(failed > 0);
}

#define FASTPIPE_LACK_MEMORY(target) \
  TEST_CASE("lacking memory: " target) { LackMemory(target); }

FASTPIPE_LACK_MEMORY("bmp")
FASTPIPE_LACK_MEMORY("compressed")
FASTPIPE_LACK_MEMORY("csv")
FASTPIPE_LACK_MEMORY("decode_csv")
FASTPIPE_LACK_MEMORY("example")
FASTPIPE_LACK_MEMORY("fixed_length")
FASTPIPE_LACK_MEMORY("gif")
FASTPIPE_LACK_MEMORY("jpeg")
FASTPIPE_LACK_MEMORY("jpeg_crop")
FASTPIPE_LACK_MEMORY("jpeg_resize")
FASTPIPE_LACK_MEMORY("json_example")
FASTPIPE_LACK_MEMORY("lines")
FASTPIPE_LACK_MEMORY("parse_example")
FASTPIPE_LACK_MEMORY("png")
FASTPIPE_LACK_MEMORY("saved_dataset")
FASTPIPE_LACK_MEMORY("tensor")
FASTPIPE_LACK_MEMORY("tf_record")
FASTPIPE_LACK_MEMORY("wav")

}  // namespace
}  // namespace fastpipe

#endif
