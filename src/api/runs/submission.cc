#include "api/runs/submission.h"

#include <cstdint>

#include "access/quota.h"
#include "api/ask.h"
#include "api/runs/exact_reader.h"
#include "api/runs/plan.h"
#include "api/runs/terminal.h"
#include "base/fnv.h"
#include "requests/command.h"
#include "requests/environment.h"
#include "requests/fields.h"

namespace drover::api {
namespace {

constexpr const char* kTerm =
    "xterm-256color";  // The type of terminal that attached terminals understand.

// "pty": true, or its size. Standard input is then that terminal.
void read_terminal(requests::Fields& fields, size_t& stdin_mode, TerminalSize& size) {
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
  return requests::compose(inherit ? services.environment->variables() : kNothing, env,
                           services.programs);
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

namespace {

// Everything of a submission that can be read without the store.
struct Draft {
  dispatch::Submission submission = {};
  DependencyNames names = {};
  bool inherits = true;  // The daemon's environment.
};

Result<> read_draft(const Services& services, const Request& request, Draft& draft) {
  run::Spec& spec = draft.submission.spec;
  bool& inherit = draft.inherits;
  const access::Grant& grant = request.grant;
  size_t stdin_mode = 0;
  spec.cwd = services.user_directory;

  requests::Fields fields(request.body);
  requests::read_command(fields, spec);
  fields.choice("stdin", {"none", "pipe", "pty"}, stdin_mode);
  std::string scope;
  fields.text("scope", scope);
  const bool has_scope = fields.has("scope");
  draft.names = read_dependencies(fields);
  fields.flag("inherit_env", inherit);
  fields.flag("exact_output", spec.exact_output);
  read_terminal(fields, stdin_mode, spec.terminal);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (auto ok = note_exact_reader(grant, spec); !ok) return std::unexpected(ok.error());
  if (inherit) requests::note_given(services.environment->variables(), spec.env);

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
  auto idempotency = read_key(request.body, request.idempotency_key);
  if (!idempotency) return std::unexpected(idempotency.error());
  spec.key = std::move(idempotency->key);
  draft.submission.digest = std::move(idempotency->digest);
  return {};
}

}  // namespace

asio::awaitable<Result<dispatch::Submission>> read_submission(Services& services,
                                                              const Request& request) {
  Draft draft;
  if (auto ok = read_draft(services, request, draft); !ok) co_return std::unexpected(ok.error());
  run::Spec& spec = draft.submission.spec;
  if (!draft.names.after.empty() || !draft.names.after_any.empty()) {
    const bool has_key = request.idempotency_key.has_value();
    auto found =
        co_await ask(services, request,
                     [names = draft.names, grant = request.grant, scope = spec.scope,
                      key = spec.key, has_key](store::Reads& store) -> Result<Dependencies> {
                       auto all = find_dependencies(store, grant, names);
                       if (!all || !all->missing || !has_key) return all;
                       // The runs that the first request named may have been deleted, or their
                       // names may resolve differently now. A repeated request is answered with the
                       // first run anyway, and records nothing.
                       const auto repeated = store.knows_key(scope, key);
                       if (!repeated) return std::unexpected(repeated.error());
                       if (*repeated) all->missing.reset();
                       return all;
                     });
    if (!found) co_return std::unexpected(found.error());
    if (found->missing) co_return std::unexpected(std::move(*found->missing));
    spec.after = std::move(found->after);
    spec.after_any = std::move(found->after_any);
  }
  if (auto ok = run::validate(spec); !ok) co_return std::unexpected(ok.error());
  if (auto ok = access::check_priority(request.grant, spec.priority); !ok) {
    co_return std::unexpected(ok.error());
  }
  draft.submission.first =
      access::quota_check(request.grant, {.lane = spec.lane, .scope = spec.scope, .key = spec.key});
  draft.submission.environment = environment_of(draft.inherits, spec.env, services);
  co_return std::move(draft.submission);
}

Result<std::vector<std::string>> read_environment(std::string_view body, const Services& services) {
  run::Spec spec;  // Only for its environment, which is validated like any other.
  bool inherit = true;
  requests::Fields fields(body);
  fields.pairs("env", spec.env);
  fields.flag("inherit_env", inherit);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (inherit) requests::note_given(services.environment->variables(), spec.env);
  spec.argv = {"-"};
  spec.cwd = "/";
  if (auto ok = run::validate(spec); !ok) return std::unexpected(ok.error());
  return environment_of(inherit, spec.env, services);
}

Result<dispatch::RetryRequest> read_retry(const RunId& id, std::string_view body,
                                          std::optional<std::string_view> key,
                                          const Services& services, const access::Grant& grant,
                                          std::string scope) {
  dispatch::RetryRequest request;
  request.id = id;
  auto idempotency = read_key(body, key);
  if (!idempotency) return std::unexpected(idempotency.error());
  request.key = std::move(idempotency->key);
  request.digest = std::move(idempotency->digest);
  auto environment = read_environment(body, services);
  if (!environment) return std::unexpected(environment.error());
  request.environment = std::move(*environment);
  request.first = access::quota_check(grant, {.scope = std::move(scope), .key = request.key});
  return request;
}

}  // namespace drover::api
