#include "api/runs/submission.h"

#include <cstdint>

#include "api/http/fields.h"
#include "api/runs/environment.h"
#include "api/runs/plan.h"
#include "api/runs/resource_limits.h"
#include "api/runs/terminal.h"
#include "base/fnv.h"

namespace drover::api {
namespace {

constexpr const char* kTerm = "xterm-256color";  // What attached terminals understand.

// "pty": true, or its size. Standard input is then that terminal.
void read_terminal(Fields& fields, size_t& stdin_mode, TerminalSize& size) {
  constexpr auto kPty = static_cast<size_t>(run::Stdin::pty);
  const boost::json::value* value = fields.take("pty");
  if (value == nullptr || value->is_null() || (value->is_bool() && !value->get_bool())) return;
  if (stdin_mode != 0 && stdin_mode != kPty) {
    return fields.refuse("stdin", "standard input is either a pipe or a pty; remove stdin or pty");
  }
  stdin_mode = kPty;
  if (value->is_bool()) return;
  if (!value->is_object()) {
    return fields.refuse("pty", "pty must be true or {\"rows\":24,\"cols\":80}");
  }
  auto read = size_of(value->get_object(), size);
  if (!read) return fields.refuse(read.error().param, read.error().message);
  size = *read;
}

// Identifies a request's body under an idempotency key: two FNV hashes with different seeds. No
// cryptographic hash is needed: a caller can only deceive itself.
std::string digest_of(std::string_view body) {
  std::string out;
  for (const std::uint64_t begin : {kFnvBegin, std::uint64_t{0x9ae16a3b2f90404fULL}}) {
    const std::uint64_t hash = fnv(body, begin);
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15];
  }
  return out;
}

std::vector<std::string> environment_of(bool inherit, const std::map<std::string, std::string>& env,
                                        const Services& services) {
  static const std::vector<std::string> kNothing;
  return compose(inherit ? services.environment : kNothing, env, services.programs);
}

}  // namespace

Result<dispatch::IdempotencyKey> read_key(std::string_view body,
                                          std::optional<std::string_view> key) {
  if (!key) return dispatch::IdempotencyKey{};
  if (key->empty() || key->size() > limits::kKeyBytesMax) {
    return fail_invalid("Idempotency-Key", "the idempotency key must have 1 to " +
                                               std::to_string(limits::kKeyBytesMax) +
                                               " bytes, such as a UUID");
  }
  return dispatch::IdempotencyKey{.key = std::string(*key), .digest = digest_of(body)};
}

Result<dispatch::Submission> read_submission(std::string_view body,
                                             std::optional<std::string_view> key,
                                             const Services& services, const access::Grant& grant) {
  dispatch::Submission submission;
  run::Spec& spec = submission.spec;
  bool inherit = true;
  size_t stdin_mode = 0;
  size_t on_restart = 0;
  spec.cwd = services.user_directory;

  Fields fields(body);
  fields.texts("command", spec.argv);
  fields.text("shell", spec.shell);
  fields.text("cwd", spec.cwd);
  fields.pairs("env", spec.env);
  fields.text("name", spec.name);
  fields.text("lane", spec.lane);
  fields.pairs("labels", spec.labels);
  fields.duration_ms("timeout", spec.timeout_ms);
  fields.duration_ms("idle_timeout", spec.idle_timeout_ms);
  fields.duration_ms("grace", spec.grace_ms);
  fields.choice("stdin", {"none", "pipe", "pty"}, stdin_mode);
  std::string scope;
  fields.text("scope", scope);
  const bool has_scope = fields.has("scope");
  const std::optional<Error> missing = read_plan(fields, spec, services, grant);
  fields.choice("on_restart", {"requeue", "fail"}, on_restart);
  fields.flag("inherit_env", inherit);
  fields.flag("exact_output", spec.exact_output);
  read_terminal(fields, stdin_mode, spec.terminal);
  read_limits(fields, spec.limits);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (inherit) note_given(services.environment, spec.env);

  if (has_scope) {
    if (auto ok = run::validate_scope(scope); !ok) return std::unexpected(ok.error());
  }
  auto placed = access::scope_for(grant, scope);
  if (!placed) return std::unexpected(placed.error());
  spec.scope = std::move(*placed);
  if (grant.run) spec.parent_run_id = grant.run->str();
  spec.stdin_mode = static_cast<run::Stdin>(stdin_mode);
  // The daemon's own TERM is of another terminal.
  if (spec.stdin_mode == run::Stdin::pty) spec.env.try_emplace("TERM", kTerm);
  spec.on_restart = on_restart == 1 ? run::OnRestart::fail : run::OnRestart::requeue;
  auto idempotency = read_key(body, key);
  if (!idempotency) return std::unexpected(idempotency.error());
  spec.key = std::move(idempotency->key);
  submission.digest = std::move(idempotency->digest);
  if (missing) {
    // The runs that the first request named may have been deleted, or their names may resolve
    // differently now. A repeated request is answered with the first run anyway, and records
    // nothing.
    Result<bool> repeated = false;
    if (key) repeated = services.store.knows_key(spec.scope, spec.key);
    if (!repeated) return std::unexpected(repeated.error());
    if (!*repeated) return std::unexpected(*missing);
  }
  if (auto ok = run::validate(spec); !ok) return std::unexpected(ok.error());
  submission.environment = environment_of(inherit, spec.env, services);
  return submission;
}

Result<std::vector<std::string>> read_environment(std::string_view body, const Services& services) {
  run::Spec spec;  // Only for its environment, which is validated like any other.
  bool inherit = true;
  Fields fields(body);
  fields.pairs("env", spec.env);
  fields.flag("inherit_env", inherit);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (inherit) note_given(services.environment, spec.env);
  spec.argv = {"-"};
  spec.cwd = "/";
  if (auto ok = run::validate(spec); !ok) return std::unexpected(ok.error());
  return environment_of(inherit, spec.env, services);
}

Result<dispatch::RetryRequest> read_retry(const RunId& id, std::string_view body,
                                          std::optional<std::string_view> key,
                                          const Services& services) {
  dispatch::RetryRequest request;
  request.id = id;
  auto idempotency = read_key(body, key);
  if (!idempotency) return std::unexpected(idempotency.error());
  request.key = std::move(idempotency->key);
  request.digest = std::move(idempotency->digest);
  auto environment = read_environment(body, services);
  if (!environment) return std::unexpected(environment.error());
  request.environment = std::move(*environment);
  return request;
}

}  // namespace drover::api
