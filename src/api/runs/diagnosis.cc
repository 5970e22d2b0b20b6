#include "api/runs/diagnosis.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include "api/ask.h"
#include "process/command.h"
#include "queries/diagnosis.h"
#include "run/redact.h"

namespace drover::api {
namespace {

namespace json = boost::json;

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

// Paths of open files and names of processes may contain secrets of the run.
void redact_texts(json::value& value, const run::Secrets& secrets) {
  if (value.is_string()) {
    value = run::redact(value.get_string(), secrets);
  } else if (value.is_array()) {
    for (json::value& element : value.get_array()) redact_texts(element, secrets);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) redact_texts(member.value(), secrets);
  }
}

json::value describe(const queries::Diagnosis& found, const run::Secrets& secrets) {
  const diagnosis::Scene& scene = found.scene;
  json::array findings;
  for (const diagnosis::Finding& finding : found.findings) {
    findings.push_back(describe(finding));
  }
  json::array processes;
  for (const diagnosis::Process& process : scene.processes) processes.push_back(describe(process));
  json::value out = json::object{
      {"findings", std::move(findings)},    {"processes", std::move(processes)},
      {"left_out", scene.left_out},         {"usage", describe(diagnosis::usage_of(scene))},
      {"output_bytes", scene.output_bytes}, {"printed_at", time_or_null(scene.printed_at)}};
  redact_texts(out, secrets);
  return out;
}

}  // namespace

run::Secrets secrets_of(const Home& home, const RunId& id) {
  const auto command = process::read_command(home.run_file(id));
  return command ? run::Secrets(command->environment) : run::Secrets();
}

asio::awaitable<Result<json::value>> usage_now(Services& services, const Request& request,
                                               run::Record record) {
  co_return co_await work(
      services, request,
      [home = services.home, record = std::move(record)](const work::Turn&) -> Result<json::value> {
        const auto usage = queries::usage_now(home, record);
        return usage ? json::value(describe(*usage)) : json::value(nullptr);
      });
}

asio::awaitable<Result<json::value>> diagnose(Services& services, const Request& request,
                                              run::Record record) {
  using First = std::optional<queries::FirstLook>;
  const auto first = co_await work(
      services, request,
      [home = services.home, &clock = services.clock, record](const work::Turn&) -> Result<First> {
        return queries::look_first(home, clock, record);
      });
  if (!first) co_return std::unexpected(first.error());
  if (!*first) co_return json::value(nullptr);
  asio::steady_timer timer(services.loop, std::chrono::milliseconds(limits::kLookAgainMs));
  co_await timer.async_wait(asio::use_awaitable);
  co_return co_await work(
      services, request,
      [home = services.home, &clock = services.clock, record = std::move(record),
       first = **first](const work::Turn&) -> Result<json::value> {
        const auto found = queries::look_again(home, clock, record, first);
        return found ? describe(*found, secrets_of(home, record.id)) : json::value(nullptr);
      });
}

}  // namespace drover::api
