#include "run/progress.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace drover::run {
namespace {

using boost::json::object;
using boost::json::value;

template <class T>
value or_null(const std::optional<T>& number) {
  return number ? value(*number) : value(nullptr);
}

void add(object& out, const SaidProgress& said) {
  out["percent"] = or_null(said.percent);
  out["text"] = said.text.empty() ? value(nullptr) : value(said.text);
  out["done"] = or_null(said.done);
  out["total"] = or_null(said.total);
}

object describe(const OutputGrowth& growth) {
  return {{"bytes", growth.bytes}, {"lines", or_null(growth.lines)}};
}

// Of a run that has said nothing yet.
object parse(std::string_view text) {
  boost::system::error_code bad;
  value parsed = text.empty() ? value(nullptr) : boost::json::parse(text, bad);
  if (!bad && parsed.is_object()) return std::move(parsed.get_object());
  object empty;
  add(empty, {});
  empty["at"] = nullptr;
  empty["output"] = nullptr;
  return empty;
}

}  // namespace

Result<SaidProgress> validated(SaidProgress said) {
  if (said.percent && (*said.percent < 0 || *said.percent > 100)) {
    return fail_invalid("percent", "percent must be a whole number from 0 to 100");
  }
  if (said.total && *said.total < 1) return fail_invalid("total", "total must be at least 1");
  if (said.done && *said.done < 0) return fail_invalid("done", "done must be at least 0");
  if (said.total && !said.done) return fail_invalid("done", "total needs done, too");
  if (said.done && said.total && *said.done > *said.total) {
    return fail_invalid("done", fmt::format("done must be at most the total, {}", *said.total));
  }
  if (said.text.size() > limits::kProgressTextBytesMax || !is_utf8(said.text)) {
    return fail_invalid("text", fmt::format("text must be UTF-8 of at most {} bytes",
                                            limits::kProgressTextBytesMax));
  }
  if (!said.percent && said.done && said.total) {
    said.percent =
        static_cast<int>(static_cast<double>(*said.done) * 100 / static_cast<double>(*said.total));
  }
  if (!said.percent && !said.done && said.text.empty()) {
    return fail_invalid("percent", "give a percentage, a text, or how much is done");
  }
  return said;
}

std::string event_data(const SaidProgress& said) {
  object out{{"by", "run"}};
  add(out, said);
  return boost::json::serialize(out);
}

std::string event_data(const OutputGrowth& growth) {
  object out = describe(growth);
  out["by"] = "output";
  return boost::json::serialize(out);
}

std::string with_said(std::string_view before, const SaidProgress& said, WallMs at) {
  object out = parse(before);
  add(out, said);
  out["at"] = rfc3339(at);
  return boost::json::serialize(out);
}

std::string with_growth(std::string_view before, const OutputGrowth& growth, WallMs at) {
  object out = parse(before);
  object output = describe(growth);
  output["at"] = rfc3339(at);
  out["output"] = std::move(output);
  return boost::json::serialize(out);
}

std::int64_t output_bytes_in(std::string_view progress) {
  const object known = parse(progress);
  const value* output = known.if_contains("output");
  const value* bytes = output != nullptr && output->is_object()
                           ? output->get_object().if_contains("bytes")
                           : nullptr;
  return bytes != nullptr && bytes->is_int64() ? bytes->get_int64() : 0;
}

}  // namespace drover::run
