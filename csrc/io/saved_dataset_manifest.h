// The manifest of a saved dataset, for its reader and its writer.
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "io/saved_dataset.h"

namespace fastpipe {

constexpr std::string_view kManifestMagic = "fastpipe saved dataset\n";
constexpr std::string_view kDataFolder = "data-";  // how the folder of the shards begins

std::string ManifestPath(const std::string& path);
std::string ManifestOf(const SavedDataset& saved);

}  // namespace fastpipe
