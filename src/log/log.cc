#include "log/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace drover::log {
namespace {

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
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

}  // namespace

void open(const std::string& path, Level level) {
  spdlog::sink_ptr sink;
  if (path.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  }
  logger() = std::make_shared<spdlog::logger>("drover", std::move(sink));
  logger()->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %L %v");
  logger()->set_level(level_of(level));
  logger()->flush_on(spdlog::level::info);
}

void write(Level level, std::string_view line) {
  if (logger()) logger()->log(level_of(level), line);
}

}  // namespace drover::log
