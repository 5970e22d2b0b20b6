// Fields reads a request's JSON body strictly: it refuses a field of the wrong type or with an
// unknown name, and names it. It keeps the first error, and `finish` returns it, so that a reader
// of a body is a plain list of fields.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::requests {

class Fields {
 public:
  // An empty body is an empty object. `body` need not outlive the call.
  explicit Fields(std::string_view body);
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // Each reader leaves `out` unchanged if the field is absent.
  void text(std::string_view name, std::string& out);
  // A string, or {"base64": "…"} for one that is not UTF-8.
  void word(std::string_view name, std::string& out);
  // A list of such words.
  void texts(std::string_view name, std::vector<std::string>& out);
  void pairs(std::string_view name, std::map<std::string, std::string>& out);
  void flag(std::string_view name, bool& out);
  void duration_ms(std::string_view name, std::int64_t& out);
  void number(std::string_view name, std::int64_t& out);
  // One of `words`; sets `out` to its index.
  void choice(std::string_view name, const std::vector<std::string_view>& words, size_t& out);

  bool has(std::string_view name) const {
    return object_ != nullptr && object_->if_contains(name) != nullptr;
  }

  // The raw value, for fields that need a reader of their own. Null: absent.
  const boost::json::value* take(std::string_view name);
  void refuse(std::string_view name, std::string message);
  void refuse(Error error);

  Result<> finish();

 private:
  // The field, if it is present and of that kind.
  const boost::json::value* take(std::string_view name, boost::json::kind kind,
                                 std::string_view what);

  std::array<unsigned char, 4096> first_memory_;  // Enough for most bodies.
  boost::json::monotonic_resource memory_;
  boost::json::value value_;
  const boost::json::object* object_ = nullptr;
  std::vector<std::string_view> taken_;
  std::optional<Error> error_;
};

}  // namespace drover::requests
