#include "api/diagnosis.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <chrono>
#include <filesystem>

#include "base/journal.h"
#include "base/output_file.h"
#include "diagnosis/judge.h"
#include "diagnosis/look.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using diagnosis::Scene;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}
json::value time_or_null(WallMs time) {
  return time == 0 ? json::value(nullptr) : json::value(rfc3339(time));
}
json::value or_null(const std::optional<std::int64_t>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::object describe(const diagnosis::Usage& usage) {
  return {{"processes", usage.processes},
          {"cpu_ms", usage.cpu_ms},
          {"rss_bytes", usage.rss_bytes},
          {"read_bytes", or_null(usage.read_bytes)},
          {"written_bytes", or_null(usage.written_bytes)}};
}

json::object describe(const diagnosis::Process& process) {
  json::object out{{"pid", process.pid},
                   {"parent", process.parent},
                   {"name", process.name},
                   {"state", std::string(1, process.state)},
                   {"threads", process.thread_count},
                   {"cpu_ms", process.cpu_ms},
                   {"rss_bytes", process.rss_bytes}};
  if (process.threads.empty()) return out;
  const diagnosis::Thread& first = process.threads.front();
  out["wchan"] = text_or_null(first.wchan);
  out["call"] = first.call ? json::value(first.call->name) : json::value(nullptr);
  json::array targets;
  for (const diagnosis::Target& target :
       first.call ? first.call->targets : std::vector<diagnosis::Target>{}) {
    targets.push_back({{"fd", target.fd},
                       {"target", text_or_null(target.name)},
                       {"detail", text_or_null(target.detail)}});
  }
  out["waits_for"] = std::move(targets);
  return out;
}

json::object describe(const diagnosis::Finding& finding) {
  return {{"kind", finding.kind},
          {"text", finding.text},
          {"pid", finding.pid == 0 ? json::value(nullptr) : json::value(finding.pid)},
          {"evidence", text_or_null(finding.evidence)},
          {"since", time_or_null(finding.since)}};
}

// When the newest part of its output was last written; 0: it has printed nothing.
WallMs printed_at(const std::string& folder) {
  WallMs newest = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    struct stat st{};
    if (!it->path().filename().string().starts_with("output")) continue;
    if (::lstat(it->path().c_str(), &st) != 0 || st.st_size == 0) continue;
    newest = std::max<WallMs>(newest, st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1'000'000);
  }
  return newest;
}

// Whom to look at: the keeper and its command, as they signed. Nothing: neither has, or both left.
std::optional<JournalText> who(const Backing& backing, const run::Record& record) {
  auto probe = probe_journal(backing.home.run_file(record.id));
  if (!probe || probe->liveness != Liveness::alive) return std::nullopt;
  if (!probe->text.identity || !probe->text.started || probe->text.ending) return std::nullopt;
  return probe->text;
}

Scene look_at(const JournalText& text, diagnosis::Depth depth) {
  return diagnosis::look(text.identity->keeper.pid, text.started->command.pid, depth);
}

}  // namespace

json::value usage_now(const Backing& backing, const run::Record& record) {
  if (record.state != run::State::running) return nullptr;
  const auto text = who(backing, record);
  if (!text) return nullptr;
  return describe(diagnosis::usage_of(look_at(*text, diagnosis::Depth::usage)));
}

asio::awaitable<json::value> diagnose(const Backing& backing, run::Record record) {
  auto text = who(backing, record);
  if (!text) co_return nullptr;
  const MonoNs begun = backing.clock.mono_ns();
  const Scene first = look_at(*text, diagnosis::Depth::usage);
  asio::steady_timer timer(backing.loop, std::chrono::milliseconds(limits::kLookAgainMs));
  co_await timer.async_wait(asio::use_awaitable);
  text = who(backing, record);
  if (!text) co_return nullptr;  // It ended meanwhile.
  Scene scene = diagnosis::compare(first, look_at(*text, diagnosis::Depth::whole),
                                   (backing.clock.mono_ns() - begun) / 1'000'000);
  scene.leader_has_exited = text->status.has_value();
  scene.now = backing.clock.wall_ms();
  scene.started_at = text->started->wall_ms;
  const std::string folder = backing.home.run_folder(record.id);
  scene.printed_at = printed_at(folder);
  scene.output_bytes = static_cast<std::int64_t>(OutputReader(folder).size().value_or(0));

  json::array findings;
  for (const diagnosis::Finding& finding : diagnosis::judge(scene)) {
    findings.push_back(describe(finding));
  }
  json::array processes;
  for (const diagnosis::Process& process : scene.processes) processes.push_back(describe(process));
  co_return json::object{
      {"findings", std::move(findings)},    {"processes", std::move(processes)},
      {"left_out", scene.left_out},         {"usage", describe(diagnosis::usage_of(scene))},
      {"output_bytes", scene.output_bytes}, {"printed_at", time_or_null(scene.printed_at)}};
}

}  // namespace drover::api
