#include <doctest/doctest.h>

#include "runtime/idle_cores.h"

namespace fastpipe {
namespace {

const char* const kStat =
    "cpu  50 0 10 1000 5 0 1 7 0 0\n"
    "cpu0 20 1 4 600 3 1 1 5 9 9\n"
    "cpu1 30 0 6 400 2 0 0 2 0 0\n"
    "cpu12 1 1 1 7 1 1 1 1 0 0\n"
    "intr 12345 1 2 3\n";

TEST_CASE("idle cores: idle ticks are those without work, steal and interrupts are work") {
  const CoreTicks ticks = TicksOf(kStat, {0});
  CHECK(ticks.idle == 603);
  CHECK(ticks.all == 635);
}

TEST_CASE("idle cores: only the cores that are asked for count, by their whole number") {
  CHECK(TicksOf(kStat, {1}).idle == 402);
  CHECK(TicksOf(kStat, {2}).all == 0);
  CHECK(TicksOf(kStat, {0, 12}).idle == 611);
}

TEST_CASE("idle cores: a file without cores, or cut short, gives what there is") {
  CHECK(TicksOf("", {0}).all == 0);
  CHECK(TicksOf("intr 1 2", {0}).all == 0);
  CHECK(TicksOf("cpu0 1 2", {0}).all == 3);
}

TEST_CASE("idle cores: nothing is known at once") {
  IdleCores cores;
  CHECK_FALSE(cores.Mean().has_value());
}

}  // namespace
}  // namespace fastpipe
