#include "requests/fields.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "base/clock.h"
#include "base/text.h"

namespace drover::requests {
namespace {

namespace json = boost::json;

std::string_view view(const json::value& text) {
  return text.get_string();
}

// {"base64": "…"}: bytes that JSON cannot represent as text.
std::optional<std::string> bytes_of(const json::value& item) {
  const json::value* text = item.is_object() && item.get_object().size() == 1
                                ? item.get_object().if_contains("base64")
                                : nullptr;
  if (text == nullptr || !text->is_string()) return std::nullopt;
  Result<std::string> bytes = unbase64(view(*text));
  return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
}

}  // namespace

Fields::Fields(std::string_view body) : memory_(first_memory_.data(), first_memory_.size()) {
  boost::system::error_code bad;
  value_ = json::parse(body.empty() ? "{}" : body, bad, &memory_);
  if (bad) {
    error_ = Error{ErrorCode::invalid, "malformed_json",
                   "the body is not valid JSON: " + bad.message(), "body"};
  } else if (!value_.is_object()) {
    error_ = Error{ErrorCode::invalid, "malformed_json", "the body must be a JSON object", "body"};
  } else {
    object_ = &value_.get_object();
    taken_.reserve(16);
  }
}

void Fields::refuse(std::string_view name, std::string message) {
  if (error_) return;
  error_ = Error{ErrorCode::invalid, "invalid_value", std::move(message), std::string(name)};
}

void Fields::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

const json::value* Fields::take(std::string_view name) {
  const json::value* found = object_ == nullptr ? nullptr : object_->if_contains(name);
  if (found != nullptr) taken_.push_back(name);
  return found;
}

const json::value* Fields::take(std::string_view name, json::kind kind, std::string_view what) {
  const json::value* found = take(name);
  if (found == nullptr || found->kind() == kind) return found;
  refuse(name, std::string(name) + " must be " + std::string(what));
  return nullptr;
}

void Fields::text(std::string_view name, std::string& out) {
  if (const auto* found = take(name, json::kind::string, "a string")) out = view(*found);
}

void Fields::word(std::string_view name, std::string& out) {
  const auto* found = take(name);
  if (found == nullptr) return;
  if (found->is_string()) {
    out = view(*found);
  } else if (auto bytes = bytes_of(*found)) {
    out = std::move(*bytes);
  } else {
    refuse(name, std::string(name) + " must be a string, or {\"base64\": …}");
  }
}

void Fields::texts(std::string_view name, std::vector<std::string>& out) {
  const auto* found = take(name, json::kind::array, "an array of strings");
  if (found == nullptr) return;
  out.reserve(found->get_array().size());
  for (const json::value& item : found->get_array()) {
    if (item.is_string()) {
      out.emplace_back(view(item));
    } else if (auto bytes = bytes_of(item)) {
      out.push_back(std::move(*bytes));
    } else {
      return refuse(name, std::string(name) + " must contain only strings, or {\"base64\": …}");
    }
  }
}

void Fields::pairs(std::string_view name, std::map<std::string, std::string>& out) {
  const auto* found = take(name, json::kind::object, "an object of strings");
  if (found == nullptr) return;
  for (const json::key_value_pair& pair : found->get_object()) {
    if (!pair.value().is_string()) {
      return refuse(name, std::string(name) + " must contain only strings; " +
                              std::string(pair.key()) + " is not a string");
    }
    out.emplace(pair.key(), view(pair.value()));
  }
}

void Fields::flag(std::string_view name, bool& out) {
  if (const auto* found = take(name, json::kind::bool_, "true or false")) out = found->get_bool();
}

void Fields::duration_ms(std::string_view name, std::int64_t& out) {
  const auto* found = take(name, json::kind::string, "a duration such as \"10s\"");
  if (found == nullptr) return;
  auto parsed = parse_duration_ms(view(*found), name);
  if (!parsed) {
    if (!error_) error_ = parsed.error();
    return;
  }
  out = *parsed;
}

void Fields::number(std::string_view name, std::int64_t& out) {
  if (const auto* found = take(name, json::kind::int64, "a whole number")) out = found->get_int64();
}

void Fields::choice(std::string_view name, const std::vector<std::string_view>& words,
                    size_t& out) {
  const auto* found = take(name, json::kind::string, "a string");
  if (found == nullptr) return;
  const auto word = std::ranges::find(words, view(*found));
  if (word != words.end()) {
    out = static_cast<size_t>(word - words.begin());
    return;
  }
  std::string list;
  for (const std::string_view known : words) list.append(list.empty() ? "" : " or ").append(known);
  refuse(name, std::string(name) + " must be " + list);
}

Result<> Fields::finish() {
  if (error_) return std::unexpected(*error_);
  if (taken_.size() == object_->size()) return {};
  for (const json::key_value_pair& pair : *object_) {
    const std::string_view key = pair.key();
    if (std::ranges::find(taken_, key) != taken_.end()) continue;
    return fail(ErrorCode::invalid, "unknown_field",
                "unknown field; check its spelling; GET /openapi.json lists the fields",
                std::string(key));
  }
  return {};
}

}  // namespace drover::requests
