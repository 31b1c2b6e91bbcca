#include "core/rewrite.h"

#include <map>

namespace fastpipe {
namespace {

// Leaked on purpose, like the tables of registry.cc.
std::vector<RewriteRule>& Rules() {
  static auto* const rules = std::make_unique<std::vector<RewriteRule>>().release();
  return *rules;
}

}  // namespace

int ProgramView::OnlyUser(int instruction) const {
  if (num_outputs(instruction) != 1) return -1;
  const std::vector<int>& all = users(output(instruction));
  return all.size() == 1 && all.front() < size() ? all.front() : -1;
}

void RegisterRewrite(RewriteRule rule) { Rules().push_back(rule); }

std::vector<Replacement> ProposeRewrites(const ProgramView& program) {
  std::map<int, Replacement> by_place;
  for (RewriteRule rule : Rules()) {
    for (Replacement& proposed : rule(program)) {
      const int place = proposed.instructions.back();
      by_place.emplace(place, std::move(proposed));
    }
  }
  std::vector<Replacement> replacements;
  for (auto& [place, replacement] : by_place) replacements.push_back(std::move(replacement));
  return replacements;
}

}  // namespace fastpipe
