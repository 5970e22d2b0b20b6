#include "play/play_session.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace drover::play {
namespace json = boost::json;
namespace {

constexpr std::string_view kScope = "project/";

}  // namespace

std::string current_run(const PlaySession& session) {
  const auto run = session.stage ? session.runs.find(*session.stage) : session.runs.end();
  return run == session.runs.end() ? "" : run->second;
}

std::string text_of(const PlaySession& session) {
  json::object out{{"project", session.project}, {"state", name(session.state)}};
  if (session.stage) out["step"] = name(*session.stage);
  if (!session.code.empty()) out["code"] = session.code;
  if (!session.message.empty()) out["message"] = session.message;
  json::object runs;
  for (const auto& [stage, id] : session.runs) runs[name(stage)] = id;
  out["runs"] = std::move(runs);
  return json::serialize(out);
}

Result<PlaySession> parse_session(std::string_view text) {
  const auto bad = [] {
    return fail(ErrorCode::corrupt, "database_corrupt",
                "a play session has a value that Drover never writes; run `drover doctor`");
  };
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return bad();
  const json::object& object = value.get_object();
  const auto field = [&](std::string_view key) -> std::string {
    const json::value* found = object.if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
  };
  PlaySession out{.project = field("project"), .code = field("code"), .message = field("message")};
  const auto state = state_named(field("state"));
  if (!state || out.project.empty()) return bad();
  out.state = *state;
  out.stage = stage_named(field("step"));
  const json::value* runs = object.if_contains("runs");
  if (runs == nullptr || !runs->is_object()) return bad();
  for (const auto& item : runs->get_object()) {
    const auto stage = stage_named(item.key());
    if (!stage || !item.value().is_string()) return bad();
    out.runs[*stage] = item.value().get_string();
  }
  return out;
}

std::string scope_of(std::string_view project) {
  return std::string(kScope) + std::string(project);
}

std::string project_of(std::string_view scope) {
  if (scope.starts_with(kScope)) scope.remove_prefix(kScope.size());
  return std::string(scope);
}

}  // namespace drover::play
