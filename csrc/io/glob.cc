#include "io/glob.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "core/fault_points.h"
#include "io/open_files.h"

namespace fastpipe {
namespace {

bool IsLiteral(std::string_view segment) {
  return segment.find_first_of("*?[\\") == std::string_view::npos;
}

// Collects the matches of one pattern.
class Matcher {
 public:
  // Matches `rest` below `prefix`, which is empty or ends in a slash.
  Status Match(std::string prefix, std::string_view rest) {
    for (;;) {
      const size_t end = std::min(rest.find('/'), rest.size());
      // Slashes stay as they were written, doubled or not.
      const size_t next = std::min(rest.find_first_not_of('/', end), rest.size());
      const std::string_view segment = rest.substr(0, end);
      const std::string_view slashes = rest.substr(end, next - end);
      rest.remove_prefix(next);
      if (!IsLiteral(segment)) return MatchDirectory(prefix, segment, slashes, rest);
      prefix.append(segment);
      prefix.append(slashes);
      if (rest.empty()) {
        if (prefix.empty()) return Status::Ok();
        struct stat info;
        if (FASTPIPE_FAULT(kStat) || stat(prefix.c_str(), &info) != 0) {
          return MeansNothing(errno) ? Status::Ok() : FromErrno(errno, "cannot look for", prefix);
        }
        paths_.push_back(prefix);
        return Status::Ok();
      }
    }
  }

  std::vector<std::string> TakeSorted() {
    std::sort(paths_.begin(), paths_.end());
    return std::move(paths_);
  }

 private:
  // Matches the entries of directory `prefix` with `segment`, and `rest` below those that match.
  Status MatchDirectory(const std::string& prefix, std::string_view segment,
                        std::string_view slashes, std::string_view rest) {
    std::vector<std::string> below;
    {
      int error = 0;  // of open(2)
      auto fd = OpenFiles::Get().Open(
          [&] {
            const int opened = FASTPIPE_FAULT(kOpen)
                                   ? -1
                                   : open(prefix.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            error = errno;
            return opened;
          },
          "cannot list", prefix, /*cancel=*/nullptr);
      if (!fd.ok()) return MeansNothing(error) ? Status::Ok() : std::move(fd.status());
      const std::unique_ptr<DIR, int (*)(DIR*)> directory(fdopendir(fd.value().get()), closedir);
      if (!directory) return FromErrno(errno, "cannot list", prefix);
      static_cast<void>(fd.value().Release());
      const std::string pattern(segment);
      for (;;) {
        errno = 0;
        const dirent* entry = readdir(directory.get());
        if (entry == nullptr && errno != 0) return FromErrno(errno, "cannot list", prefix);
        if (entry == nullptr) break;
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (fnmatch(pattern.c_str(), entry->d_name, 0) != 0) continue;
        if (rest.empty()) {
          paths_.push_back(StrCat(prefix, name));
        } else if (entry->d_type != DT_REG) {
          below.push_back(StrCat(prefix, name, slashes));
        }
      }
    }  // closed before going deeper: one descriptor, however deep the pattern
    for (std::string& directory : below) {
      FASTPIPE_RETURN_IF_ERROR(Match(std::move(directory), rest));
    }
    return Status::Ok();
  }

  // What cannot be opened for such a reason matches nothing.
  static bool MeansNothing(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
           error == ENAMETOOLONG;
  }

  std::vector<std::string> paths_;
};

}  // namespace

Result<std::vector<std::string>> GlobPaths(const std::string& pattern) {
  if (pattern.find('\0') != std::string::npos) return std::vector<std::string>();
  std::string_view rest = pattern;
  std::string prefix;
  if (!IsLiteral(rest)) {
    rest = rest.substr(0, rest.find_last_not_of('/') + 1);
    if (!IsLiteral(rest.substr(0, rest.find('/')))) prefix = "./";
  }
  Matcher matcher;
  FASTPIPE_RETURN_IF_ERROR(matcher.Match(std::move(prefix), rest));
  return matcher.TakeSorted();
}

}  // namespace fastpipe
