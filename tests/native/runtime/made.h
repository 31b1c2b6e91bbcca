// Datasets for native tests, made as Python makes them.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"

namespace fastpipe {

// The op `op` over `inputs`.
inline DatasetRef Made(const std::string& op, std::map<std::string, Value, std::less<>> args,
                       std::vector<DatasetRef> inputs = {}) {
  auto made = MakeDataset(Args(op, std::move(args)), std::move(inputs), "");
  REQUIRE(made.ok());
  return made.value();
}

}  // namespace fastpipe
