#include "api/http/target.h"

#include <boost/beast/core/string.hpp>
#include <charconv>
#include <cstdint>

namespace drover::api {
namespace {

// Proxies may send an absolute URL as the target. The length of its scheme; 0: it is a path.
size_t scheme_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (boost::beast::iequals(target.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

std::string_view origin_form(std::string_view target) {
  const size_t scheme = scheme_of(target);
  if (scheme == 0) return target;
  const size_t end = target.find_first_of("/?#", scheme);
  if (end == std::string_view::npos) return "/";
  return target.substr(end);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string_view> authority_of(std::string_view target) {
  const size_t scheme = scheme_of(target);
  if (scheme == 0) return std::nullopt;
  return target.substr(scheme, target.find_first_of("/?#", scheme) - scheme);
}

std::string_view path_of(std::string_view target) {
  target = origin_form(target);
  return target.substr(0, target.find_first_of("?#"));
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return out;
}

Result<Query> query_of(std::string_view target) {
  target = origin_form(target);
  target = target.substr(0, target.find('#'));
  Query query;
  const size_t mark = target.find('?');
  if (mark == std::string_view::npos) return query;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals), true);
    if (!name) return fail_invalid("query", "the query has an invalid %-escape");
    auto value = decode(pair.substr(std::min(pair.size(), equals + 1)), true);
    if (!value) {
      const std::string message = *name + " has an invalid %-escape";
      return fail_invalid(std::move(*name), message);
    }
    query.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

Result<std::optional<std::string>> text_in(const Query& query, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [key, value] : query) {
    if (key != name) continue;
    if (found) return fail_invalid(key, key + " is given twice");
    found = value;
  }
  return found;
}

Result<bool> flag_in(const Query& query, std::string_view name) {
  auto text = text_in(query, name);
  if (!text) return std::unexpected(text.error());
  if (!*text || **text == "false") return false;
  if (**text == "true") return true;
  return fail_invalid(std::string(name), std::string(name) + " must be true or false");
}

Result<std::optional<std::uint64_t>> number_in(const Query& query, std::string_view name,
                                               std::uint64_t least, std::uint64_t most) {
  auto text = text_in(query, name);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::optional<std::uint64_t>{};
  std::uint64_t number = 0;
  const char* end = (*text)->data() + (*text)->size();
  const auto [last, bad] = std::from_chars((*text)->data(), end, number);
  if (bad != std::errc{} || last != end || (*text)->empty() || number < least || number > most) {
    return fail_invalid(std::string(name), std::string(name) + " must be a number from " +
                                               std::to_string(least) + " to " +
                                               std::to_string(most));
  }
  return std::optional(number);
}

}  // namespace drover::api
