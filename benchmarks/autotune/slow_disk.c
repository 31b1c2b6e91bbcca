/* Preloaded: opening and reading the files below a folder take longer, for whoever reads them.
 *
 * SLOW_DISK_FOLDER: the folder; SLOW_DISK_OPEN, SLOW_DISK_READ: microseconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 65536

static char slow[MOST_FILES]; /* by descriptor */

static void wait_for(const char* setting) {
  const char* text = getenv(setting);
  const long micros = text ? atol(text) : 0;
  struct timespec left = {micros / 1000000, micros % 1000000 * 1000};
  while (micros > 0 && nanosleep(&left, &left) != 0) {
  }
}

static int is_slow(const char* path) {
  const char* folder = getenv("SLOW_DISK_FOLDER");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int opened(int file, const char* path) {
  if (file < 0 || file >= MOST_FILES) return file;
  slow[file] = is_slow(path);
  if (slow[file]) wait_for("SLOW_DISK_OPEN");
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  const int makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN(name)                                 \
  int name(const char* path, int flags, ...) {     \
    static int (*next)(const char*, int, ...);     \
    if (!next) next = dlsym(RTLD_NEXT, #name);     \
    va_list arguments;                             \
    va_start(arguments, flags);                    \
    const mode_t mode = mode_of(flags, arguments); \
    va_end(arguments);                             \
    return opened(next(path, flags, mode), path);  \
  }

#define OPEN_AT(name)                                      \
  int name(int folder, const char* path, int flags, ...) { \
    static int (*next)(int, const char*, int, ...);        \
    if (!next) next = dlsym(RTLD_NEXT, #name);             \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_of(flags, arguments);         \
    va_end(arguments);                                     \
    return opened(next(folder, path, flags, mode), path);  \
  }

#define PREAD(name, offset_type)                                                  \
  ssize_t name(int file, void* bytes, size_t size, offset_type offset) {          \
    static ssize_t (*next)(int, void*, size_t, offset_type);                      \
    if (!next) next = dlsym(RTLD_NEXT, #name);                                    \
    if (file >= 0 && file < MOST_FILES && slow[file]) wait_for("SLOW_DISK_READ"); \
    return next(file, bytes, size, offset);                                       \
  }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
PREAD(pread, off_t)
PREAD(pread64, off64_t)
