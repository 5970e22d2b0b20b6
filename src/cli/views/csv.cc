#include "cli/views/csv.h"

#include <array>

#include "cli/fields.h"
#include "cli/views/run_view.h"

namespace drover::cli {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>(
    {"run_id",       "name",         "command",     "cwd",         "state",  "reason",
     "exit_code",    "signal",       "lane",        "scope",       "labels", "attempt",
     "queued_at",    "started_at",   "finished_at", "duration_ms", "cpu_ms", "peak_rss_bytes",
     "stdout_bytes", "stderr_bytes", "message",     "trace_id"});

std::string cell(const boost::json::object& run, std::string_view column) {
  if (column == "command") return command_of(run);
  const boost::json::value* value = run.if_contains(column);
  if (value == nullptr || value->is_null()) return "";
  if (value->is_string()) return std::string(value->get_string());
  if (!value->is_object()) return json_text(*value);
  std::string pairs;  // Labels: k=v, separated by spaces.
  for (const auto& [name, text] : value->get_object()) {
    pairs += (pairs.empty() ? "" : " ") + std::string(name) + "=";
    if (text.is_string()) pairs += text.get_string();
  }
  return pairs;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_head() {
  std::string out;
  for (const std::string_view column : kColumns) out.append(out.empty() ? "" : ",").append(column);
  return out + "\r\n";
}

std::string csv_line(const boost::json::object& run) {
  std::string out;
  for (const std::string_view column : kColumns) {
    if (column != kColumns.front()) out += ',';
    out += csv_cell(cell(run, column));
  }
  return out + "\r\n";
}

}  // namespace drover::cli
