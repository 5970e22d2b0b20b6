#include "log/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "base/text.h"

namespace drover::log {
namespace {

constexpr size_t kLineBytesMax = 8 * 1024;

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}

Form& form() {
  static Form instance = Form::text;
  return instance;
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view name(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warn:
      return "warn";
    case Level::error:
      return "error";
  }
  return "info";
}

// Text for a terminal. A quotation cannot move the cursor or pass for a log line of its own:
// continuation lines are indented.
std::string escape_for_terminal(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte == '\n') {
      out += "\n    ";
    } else if (byte < 0x20 || byte == 0x7F || is_c1) {
      out += '?';
      i += is_c1 ? 1 : 0;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void open(const std::string& path, Level level) {
  spdlog::sink_ptr sink;
  if (path.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  }
  form() = path.empty() && ::isatty(STDERR_FILENO) == 1 ? Form::text : Form::json;
  logger() = std::make_shared<spdlog::logger>("drover", std::move(sink));
  logger()->set_pattern(form() == Form::text ? "%Y-%m-%dT%H:%M:%S.%e%z %L %v" : "%v");
  logger()->set_level(level_of(level));
  logger()->flush_on(spdlog::level::info);
}

std::string line_of(Form form, Level level, const About& about, std::string_view text, WallMs now) {
  const std::string plain = bounded(text, kLineBytesMax);  // And valid UTF-8, whatever is quoted.
  if (form == Form::text) {
    return (about.run_id.empty() ? "" : std::string(about.run_id) + ": ") +
           escape_for_terminal(plain);
  }
  boost::json::object line{{"time", rfc3339(now)}, {"level", name(level)}};
  if (!about.run_id.empty()) line["run_id"] = about.run_id;
  if (!about.trace_id.empty()) line["trace_id"] = about.trace_id;
  line["message"] = plain;
  return boost::json::serialize(line);
}

void write(Level level, const About& about, std::string_view line) {
  if (!logger()) return;
  logger()->log(level_of(level), line_of(form(), level, about, line, SystemClock().wall_ms()));
}

}  // namespace drover::log
