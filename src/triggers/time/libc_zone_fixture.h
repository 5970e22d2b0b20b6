// A LibcZone reads a zone's clock through the C library, which parses the tz database on its own:
// an oracle that shares no code with Drover or the date library. It sets the variable TZ of this
// process, so one exists at a time, on one thread.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace drover::triggers {

class LibcZone {
 public:
  explicit LibcZone(const std::string& name) {
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
  }
  ~LibcZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
  LibcZone(const LibcZone&) = delete;
  LibcZone& operator=(const LibcZone&) = delete;

  static std::tm local(std::int64_t unix_s) {
    const auto time = static_cast<std::time_t>(unix_s);
    std::tm out{};
    ::localtime_r(&time, &out);
    return out;
  }
  static std::int64_t offset_s(std::int64_t unix_s) { return local(unix_s).tm_gmtoff; }
};

}  // namespace drover::triggers
