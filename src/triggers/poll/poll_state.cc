#include "triggers/poll/poll_state.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr size_t kHashBytes = 64;
constexpr size_t kKeyBytes = 20;

std::unexpected<Error> corrupt(const std::string& field) {
  return fail(ErrorCode::corrupt, "poll_state", "the stored state of a poll has a bad " + field);
}

bool is_hex(std::string_view text, size_t bytes) {
  return text.size() == bytes && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// False if the field is there and is not a text of at most `bytes_max`.
bool read_text(const json::object& from, std::string_view name, size_t bytes_max,
               std::string& out) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr) return true;
  if (!found->is_string() || found->get_string().size() > bytes_max) return false;
  out = found->get_string();
  return true;
}

bool read_number(const json::object& from, std::string_view name, std::int64_t most,
                 std::int64_t& out) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr) return true;
  if (!found->is_int64() || found->get_int64() < 0 || found->get_int64() > most) return false;
  out = found->get_int64();
  return true;
}

bool read_known(const json::object& from, KnownItems& out) {
  if (const json::value* polled = from.if_contains("polled")) {
    if (!polled->is_bool()) return false;
    out.polled = polled->get_bool();
  }
  const json::value* keys = from.if_contains("keys");
  if (keys == nullptr) return true;
  if (!keys->is_array() || keys->get_array().size() > kKnownItemsMax) return false;
  for (const json::value& key : keys->get_array()) {
    if (!key.is_string() || !is_hex(key.get_string(), kKeyBytes)) return false;
    out.keys.emplace_back(key.get_string());
  }
  return true;
}

// A validator is useful whole or not at all.
void put_text(json::object& out, std::string_view name, const std::string& text, size_t bytes_max) {
  if (!text.empty() && text.size() <= bytes_max && is_utf8(text)) out[name] = text;
}

}  // namespace

std::string to_json(const PollState& state) {
  json::object out;
  put_text(out, "etag", state.etag, kValidatorBytesMax);
  put_text(out, "last_modified", state.last_modified, kValidatorBytesMax);
  if (state.known.polled) {
    json::array keys;
    const size_t surplus =
        state.known.keys.size() - std::min(state.known.keys.size(), kKnownItemsMax);
    for (size_t i = surplus; i < state.known.keys.size(); ++i) {
      keys.emplace_back(state.known.keys[i]);
    }
    out["polled"] = true;
    out["keys"] = std::move(keys);
  }
  put_text(out, "hash", state.hash, kHashBytes);
  out["next_at"] = state.next_at;
  out["errors"] = state.errors;
  if (!state.error.empty()) out["error"] = bounded(state.error, kPollErrorBytesMax);
  return json::serialize(out);
}

Result<PollState> parse_poll_state(std::string_view text) {
  if (text.size() > kPollStateBytesMax) return corrupt("size");
  boost::system::error_code bad;
  const json::value value = json::parse(text, bad);
  if (bad || !value.is_object()) return corrupt("form: it is not a JSON object");
  const json::object& from = value.get_object();
  PollState out;
  std::int64_t errors = 0;
  if (!read_text(from, "etag", kValidatorBytesMax, out.etag)) return corrupt("etag");
  if (!read_text(from, "last_modified", kValidatorBytesMax, out.last_modified)) {
    return corrupt("last_modified");
  }
  if (!read_known(from, out.known)) return corrupt("list of keys");
  if (!read_text(from, "hash", kHashBytes, out.hash)) return corrupt("hash");
  if (!out.hash.empty() && !is_hex(out.hash, kHashBytes)) return corrupt("hash");
  if (!read_number(from, "next_at", std::int64_t{1} << 53, out.next_at)) return corrupt("next_at");
  if (!read_number(from, "errors", kPollErrorsMax, errors)) return corrupt("errors");
  if (!read_text(from, "error", kPollErrorBytesMax, out.error)) return corrupt("error");
  out.errors = static_cast<int>(errors);
  return out;
}

}  // namespace drover::triggers
