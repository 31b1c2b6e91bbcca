#include <doctest/doctest.h>

#include "core/cancel.h"

namespace fastpipe {
namespace {

TEST_CASE("cancel: reaches every descendant and wakes its waits") {
  auto root = CancelToken::Root();
  auto child = root->Child();
  auto grandchild = child->Child();
  int woken = 0;
  CancelToken::Waker waker(grandchild, [&] { ++woken; });
  root->Cancel();
  root->Cancel();
  CHECK(grandchild->cancelled());
  CHECK(woken == 1);
}

TEST_CASE("cancel: a child can be stopped without its parent") {
  auto root = CancelToken::Root();
  auto child = root->Child();
  child->Cancel();
  CHECK(child->cancelled());
  CHECK_FALSE(root->cancelled());
}

TEST_CASE("cancel: children and wakers of a cancelled token learn it at once") {
  auto root = CancelToken::Root();
  root->Cancel();
  CHECK(root->Child()->cancelled());
  bool woken = false;
  CancelToken::Waker waker(root, [&] { woken = true; });
  CHECK(woken);
}

TEST_CASE("cancel: a sleep of an hour ends at once when it is cancelled before") {
  auto root = CancelToken::Root();
  root->Cancel();
  CHECK(root->SleepFor(std::chrono::hours(1)).code() == Code::kCancelled);
}

bool interrupt_now = false;

TEST_CASE("cancel: a sleep ends when the interrupt hook reports a signal") {
  interrupt_now = true;
  SwapThreadInterruptHook([] { return interrupt_now; });
  Status status = CancelToken::Root()->SleepFor(std::chrono::hours(1));
  SwapThreadInterruptHook(nullptr);
  CHECK(status.code() == Code::kCancelled);
}

}  // namespace
}  // namespace fastpipe
