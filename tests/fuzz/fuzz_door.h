// The API for a fuzzer: the real server, with a TestStore and a dispatcher that starts nothing.
// Recreated every thousand inputs, so that their leftovers stay small.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "api/door_fixture.h"

namespace drover::fuzz {

class FuzzDoor final : public api::Door {
 public:
  // Sends the bytes, hangs up, and returns the whole answer.
  std::string answer_to(std::string_view bytes) {
    api::Client one = client();
    one.send(bytes);
    one.end();
    return one.read_to_end();
  }

 private:
  void TestBody() override {}
};

template <class AnyDoor>
AnyDoor& one_of() {
  static std::unique_ptr<AnyDoor> door;
  static int used = 0;
  if (used++ % 1'000 == 0) {
    door.reset();
    door = std::make_unique<AnyDoor>();
  }
  return *door;
}
inline FuzzDoor& door() {
  return one_of<FuzzDoor>();
}

// Whatever the input was: there is no answer, or one that is not an internal error.
inline void expect_an_answer(std::string_view answer) {
  const bool is_one = answer.empty() || answer.starts_with("HTTP/1.1 ");
  if (is_one && !answer.starts_with("HTTP/1.1 500")) return;
  std::fprintf(stderr, "not an answer:\n%.*s\n", static_cast<int>(answer.size()), answer.data());
  std::abort();
}

}  // namespace drover::fuzz
