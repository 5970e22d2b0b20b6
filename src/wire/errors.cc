#include "wire/errors.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace drover::wire {
namespace {

namespace json = boost::json;

constexpr auto kForms = std::to_array<ErrorForm>({
    {ErrorCode::invalid, 400, "invalid_request_error", exit_code::kUsage},
    {ErrorCode::not_found, 404, "not_found_error", exit_code::kNotFound},
    {ErrorCode::conflict, 409, "conflict_error", exit_code::kConflict},
    {ErrorCode::exhausted, 413, "limit_error", exit_code::kUsage},
    {ErrorCode::unavailable, 503, "unavailable_error", exit_code::kCouldNotRun},
    {ErrorCode::corrupt, 500, "corrupt_error", exit_code::kCouldNotRun},
});

struct StatusOfReason {
  std::string_view reason;
  unsigned http_status;
};
constexpr auto kStatusOfReason = std::to_array<StatusOfReason>({
    {"unauthorized", 401},
    {"signature_missing", 401},
    {"signature_invalid", 401},
    {"timestamp_missing", 401},
    {"timestamp_out_of_tolerance", 401},
    {"not_the_owner", 403},
    {"forbidden", 403},
    {"foreign_host", 403},
    {"foreign_origin", 403},
    {"method_not_allowed", 405},
    {"request_timeout", 408},
    {"unsupported_media_type", 415},
    {"range_not_satisfiable", 416},
    {"quota_exceeded", 429},
    {"header_too_large", 431},
});

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

const ErrorForm& form(ErrorCode code) {
  return kForms[static_cast<size_t>(code)];
}

unsigned http_status(const Error& error) {
  for (const StatusOfReason& finer : kStatusOfReason) {
    if (finer.reason == error.reason) return finer.http_status;
  }
  return form(error.code).http_status;
}

ErrorCode code_of_type(std::string_view type) {
  for (const ErrorForm& known : kForms) {
    if (known.type == type) return known.code;
  }
  return ErrorCode::unavailable;
}

std::string envelope(const Error& error, std::string_view request_id) {
  json::object inner;
  inner["code"] = error.reason;
  inner["message"] = error.message;
  inner["type"] = form(error.code).type;
  if (!error.param.empty()) inner["param"] = error.param;
  boost::system::error_code bad;
  json::value details = error.details.empty() ? json::value() : json::parse(error.details, bad);
  if (!bad && details.is_object()) inner["details"] = std::move(details);
  inner["request_id"] = request_id;
  return json::serialize(json::object{{"error", std::move(inner)}});
}

Error read_envelope(std::string_view body, unsigned http_status) {
  boost::system::error_code bad;
  const json::value value = json::parse(body, bad);
  const json::value* inner =
      !bad && value.is_object() ? value.get_object().if_contains("error") : nullptr;
  if (inner == nullptr || !inner->is_object()) {
    return {ErrorCode::unavailable, "bad_answer",
            "the daemon answered " + std::to_string(http_status) + " without an error message", ""};
  }
  const json::object& o = inner->get_object();
  const json::value* details = o.if_contains("details");
  return {code_of_type(text_of(o, "type")), text_of(o, "code"), text_of(o, "message"),
          text_of(o, "param"),
          details != nullptr && details->is_object() ? json::serialize(*details) : ""};
}

}  // namespace drover::wire
