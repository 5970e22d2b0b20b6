#include "cli/views/csv.h"

#include <array>

#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/run_view.h"

namespace drover::cli {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>(
    {"run_id",       "name",         "command",     "cwd",         "state",  "reason",
     "exit_code",    "signal",       "lane",        "scope",       "labels", "attempt",
     "queued_at",    "started_at",   "finished_at", "duration_ms", "cpu_ms", "peak_rss_bytes",
     "stdout_bytes", "stderr_bytes", "message",     "trace_id"});

// These counters are 0 until the run has finished, and stay 0 if its keeper died before it could
// count (docs/run.md): a table must not show that as a measurement.
bool is_unknown(const boost::json::object& run, std::string_view column) {
  if (column != "cpu_ms" && column != "peak_rss_bytes" && column != "stdout_bytes" &&
      column != "stderr_bytes") {
    return false;
  }
  const std::string reason = text_in(run, "reason");
  const bool uncounted = !has_ended(run) || reason == "keeper_lost" || reason == "host_restarted";
  return uncounted && number_in(run, column).value_or(0) == 0;
}

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

std::string harmless(std::string_view text) {
  std::string out;
  // A spreadsheet evaluates such a cell, even if another user named the run.
  if (text.find_first_of("=+-@\t\r") == 0) out += '\'';
  while (true) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += clean(line);
    if (line.size() == text.size()) return out;
    out += '\n';
    text.remove_prefix(line.size() + 1);
  }
}

}  // namespace

std::string csv_cell(std::string_view raw) {
  const std::string text = harmless(raw);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return text;
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
    if (is_unknown(run, column)) continue;
    const boost::json::value* value = run.if_contains(column);
    // A negative number is not a formula.
    const bool plain = value != nullptr && (value->is_number() || value->is_bool());
    out += plain ? json_text(*value) : csv_cell(cell(run, column));
  }
  return out + "\r\n";
}

}  // namespace drover::cli
