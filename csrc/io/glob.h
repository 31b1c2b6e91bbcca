// GlobPaths: the files and directories that match a pattern, as tf.data matches them.
//
// Contract: within one segment of the path `*` stands for any bytes (a leading dot too), `?` for
// one character, `[ab]`, `[a-z]` and `[!a]` for one of a set; a backslash takes the next character
// literally. There are no braces, and `**` is `*`. Directories match as files do; slashes at the
// end of a pattern are ignored. "." and ".." match only when written out. Results begin as the
// pattern does; those of a pattern whose first segment is not literal begin with "./". Thread rule:
// any thread.
#pragma once

#include <string>
#include <vector>

#include "core/status.h"

namespace fastpipe {

// Sorted by bytes. What does not exist, is no directory or may not be read matches nothing; an
// error means that the answer could not be found.
Result<std::vector<std::string>> GlobPaths(const std::string& pattern);

}  // namespace fastpipe
