#include "store/refused_request.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "store/store.h"

namespace drover::store {
namespace {

namespace json = boost::json;

std::string subject_of(const RunId& run) {
  return "request/" + run.str();
}

Result<std::int64_t> count_reported(Transaction& t, const RefusedRequest& request) {
  auto rows =
      t.query("SELECT count(*) FROM spine WHERE subject IN ($1, $2) AND type = $3",
              {request.run.view(), std::string_view(subject_of(request.run)), name(request.type)});
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? 0 : rows->front().front().integer();
}

json::value parsed(const std::string& text) {
  boost::system::error_code bad;
  json::value value = json::parse(text, bad);
  return bad ? json::value(nullptr) : value;
}

json::object data_of(const RefusedRequest& request, std::int64_t count) {
  return {{"by", parsed(request.by)}, {"outcome", request.outcome}, {"count", count}};
}

// Without a scope: only the owner sees it.
Result<> tell_owner(Transaction& t, const RefusedRequest& request, std::int64_t count) {
  if (request.caller.empty()) return {};
  return t.append({.subject = subject_of(request.run),
                   .type = "request.caller",
                   .data = json::serialize(json::object{{"run_id", request.run.view()},
                                                        {"trace_id", request.trace_id},
                                                        {"request", name(request.type)},
                                                        {"count", count},
                                                        {"by", parsed(request.caller)}})});
}

}  // namespace

Work report_refused(RefusedRequest request) {
  return [request = std::move(request)](Transaction& t) -> Result<> {
    const auto reported = count_reported(t, request);
    if (!reported) return std::unexpected(reported.error());
    if (*reported >= limits::kRefusalsReportedMax) return {};
    json::object data = data_of(request, *reported + 1);
    const auto record = t.find(request.run);
    if (!record) return std::unexpected(record.error());
    if (*record && run::is_active((*record)->state)) {
      const auto written =
          t.record(run::RequestRefused{request.run, request.type, json::serialize(data)});
      if (!written) return std::unexpected(written.error());
    } else {
      data["run_id"] = request.run.view();
      data["trace_id"] = request.trace_id;
      auto written = t.append({.subject = subject_of(request.run),
                               .type = std::string(name(request.type)),
                               .scope = request.scope,
                               .data = json::serialize(data)});
      if (!written) return written;
    }
    return tell_owner(t, request, *reported + 1);
  };
}

}  // namespace drover::store
