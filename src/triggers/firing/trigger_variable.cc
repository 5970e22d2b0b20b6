#include "triggers/firing/trigger_variable.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "base/fd.h"
#include "base/fnv.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string hex(std::uint64_t number) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[number >> shift & 15];
  return out;
}

// The newest stay: their runs may still be waiting.
void remove_oldest(const std::string& directory) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    files.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  if (files.size() <= kEventFilesKept) return;
  std::ranges::sort(files);
  for (size_t i = 0; i + kEventFilesKept < files.size(); ++i) fs::remove(files[i].second, ignored);
}

Result<std::string> write_event(const Home& home, const std::string& trigger,
                                const std::string& key, const std::string& event) {
  const std::string directory = triggers_directory(home) + "/" + trigger + ".events";
  if (auto made = make_private_directory(triggers_directory(home)); !made) {
    return std::unexpected(made.error());
  }
  if (auto made = make_private_directory(directory); !made) return std::unexpected(made.error());
  const std::string path = directory + "/" + hex(fnv(key)) + ".json";
  if (auto written = replace_file(path, event); !written) return std::unexpected(written.error());
  remove_oldest(directory);
  return path;
}

}  // namespace

json::object trigger_object(const StoredTrigger& trigger, const Occurrence& occurrence,
                            const std::string& event) {
  json::object object{{"trigger", trigger.name}, {"source", trigger.source_type}};
  if (occurrence.is_scheduled()) {
    object["slot"] = occurrence.key;
    object["due_at"] = rfc3339(occurrence.due_at);
  } else {
    boost::system::error_code bad;
    json::value parsed = json::parse(event, bad);
    object["event"] = bad ? json::value(nullptr) : std::move(parsed);
  }
  return object;
}

bool needs_file(const std::string& text) {
  return text.size() > kVariableBytesMax;
}

Result<> set_trigger_variable(const Home& home, const StoredTrigger& trigger,
                              const Occurrence& occurrence, const std::string& event,
                              Variables& variables) {
  json::object object = trigger_object(trigger, occurrence, event);
  std::string text = json::serialize(object);
  if (needs_file(text)) {
    auto path = write_event(home, trigger.name, occurrence.key, event);
    if (!path) return std::unexpected(path.error());
    variables["DROVER_TRIGGER_FILE"] = *path;
    if (auto* event_object = object["event"].if_object()) event_object->erase("payload");
    text = json::serialize(object);
  }
  variables["DROVER_TRIGGER"] = std::move(text);
  return {};
}

}  // namespace drover::triggers
