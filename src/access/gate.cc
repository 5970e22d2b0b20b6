#include "access/gate.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>

#include "access/seal.h"
#include "base/background.h"
#include "base/limits.h"
#include "run/life.h"

namespace drover::access {
namespace {

constexpr size_t kCodeDigits = 32;

}  // namespace

std::unexpected<Error> unauthorized() {
  return fail(ErrorCode::invalid, "unauthorized",
              "the token is missing or not valid here: it belongs to another daemon or a finished "
              "run, has expired, or was revoked; unset DROVER_TOKEN to act as the owner, or send "
              "a valid token in the header Authorization, with the scheme Bearer",
              "Authorization");
}

Gate::Gate(Keys keys, asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
           const Clock& clock, Recorder record)
    : keys_(std::move(keys)),
      loop_(loop),
      reads_(reads),
      clock_(clock),
      record_(std::move(record)),
      news_(bell, std::move(loop),
            bus::Filter{.run = {}, .scope = {}, .about = std::string(kTokenSort)},
            bell.last_seq()) {}

Result<> Gate::load(store::Reads& store) {
  auto stored = read_tokens(store);
  if (!stored) return std::unexpected(stored.error());
  take(std::move(*stored));
  return {};
}

void Gate::take(std::vector<Token> stored) {
  for (Token& token : stored) {
    Token& known = tokens_[token.id];
    // Revoked here although the write may have failed: it stays revoked.
    if (known.revoked_at != 0) token.revoked_at = known.revoked_at;
    known = std::move(token);
  }
}

// A table that was unreadable is read with the next request.
asio::awaitable<void> Gate::load_again() {
  const std::uint64_t asked = named_;
  auto stored = co_await reads_.ask(store::daemon_itself(),
                                    [](store::Reads& store) { return read_tokens(store); });
  if (!stored) co_return;
  take(std::move(*stored));
  answered_ = std::max(answered_, asked);
}

asio::awaitable<void> Gate::learn() {
  while (true) {
    const auto page = co_await news_.now();
    if (!page) ++named_;
    if (!page || page->events.empty()) break;
    for (const bus::EventPtr& event : page->events) {
      const auto known = tokens_.find(event->other.substr(kTokenSort.size() + 1));
      // Apply a revocation at once, even while the table is unreadable: a revoked token must not
      // work.
      if (event->type == "token.revoked" && known != tokens_.end()) {
        known->second.revoked_at = event->time;
      }
      if (known == tokens_.end()) ++named_;
    }
  }
  if (answered_ < named_) co_await load_again();
}

bool Gate::lives(const Token& token) const {
  return token.revoked_at == 0 && clock_.wall_ms() < token.expires_at;
}

asio::awaitable<Result<Grant>> Gate::identify(std::string token) {
  if (keys_.is_owner(token)) co_return owner_grant();
  if (const auto id = keys_.run_of(token)) {
    auto record = co_await reads_.find(*id);
    if (!record) co_return std::unexpected(record.error());
    // The run has finished or does not exist: its token is invalid.
    if (!*record || !run::is_active((*record)->state)) co_return unauthorized();
    co_return grant_of_run(*id, (*record)->scope);
  }
  co_await learn();
  const auto known = tokens_.find(id_in(token));
  if (known == tokens_.end() || !same_secret(sha256_hex(token), known->second.hash) ||
      !lives(known->second)) {
    co_return unauthorized();
  }
  // A browser session is sealed with the owner's token, and becomes invalid with it.
  if (known->first.starts_with("ses_")) {
    if (!same_secret(token, keys_.of_session(known->first))) co_return unauthorized();
    use(known->second);
  }
  co_return grant_of(known->second);
}

// In memory at once, and in the store later: if the daemon dies in between, the session ends
// sooner.
void Gate::use(Token& session) {
  const WallMs last = session.created_at + limits::kBrowserSessionMs;
  const WallMs until = std::min(clock_.wall_ms() + limits::kBrowserSessionIdleMs, last);
  if (until < session.expires_at + limits::kBrowserSessionNoteMs) return;
  session.expires_at = until;
  asio::co_spawn(
      loop_,
      [](Recorder record, store::Write write) -> asio::awaitable<void> {
        (void)co_await record(std::move(write));
      }(record_, extend_session(session.id, until)),
      in_background);
}

asio::awaitable<Result<Gate::IssuedToken>> Gate::issue(TokenRequest request) {
  IssuedToken issued;
  issued.token.id = new_token_id();
  issued.text = new_token_text(issued.token.id);
  issued.token.label = std::move(request.label);
  issued.token.scope = std::move(request.scope);
  issued.token.can = text_of(request.rights);
  issued.token.expires_at = clock_.wall_ms() + request.ttl_ms;
  co_return co_await add(std::move(issued));
}

asio::awaitable<Result<Gate::IssuedToken>> Gate::begin_session(std::string host) {
  IssuedToken issued;
  issued.token.id = new_session_id();
  issued.text = keys_.of_session(issued.token.id);
  issued.token.label = std::move(host);
  issued.token.can = "own";
  issued.token.expires_at = clock_.wall_ms() + limits::kBrowserSessionIdleMs;
  co_return co_await add(std::move(issued));
}

asio::awaitable<Result<Gate::IssuedToken>> Gate::add(IssuedToken issued) {
  const WallMs now = clock_.wall_ms();
  const WallMs forget_before = now - limits::kTokensKeptMs;
  co_await learn();
  std::erase_if(tokens_, [&](const auto& item) {
    const Token& token = item.second;
    return token.expires_at < forget_before ||
           (token.revoked_at != 0 && token.revoked_at < forget_before);
  });
  if (tokens_.size() >= limits::kTokensMax) {
    co_return fail(ErrorCode::exhausted, "too_many_tokens",
                   "there are " + std::to_string(tokens_.size()) +
                       " tokens already; expired and revoked ones are removed after 30 days");
  }
  issued.token.hash = sha256_hex(issued.text);
  issued.token.created_at = now;
  auto written = co_await record_(issue_token(issued.token, forget_before));
  if (!written) co_return std::unexpected(written.error());
  co_return issued;
}

asio::awaitable<Result<>> Gate::revoke(std::string id) {
  co_await learn();
  const auto known = tokens_.find(id);
  if (known == tokens_.end()) co_return no_such_token(id);
  const WallMs now = clock_.wall_ms();
  // Revoke it in memory before the write, on purpose: the token must not work in the meantime. If
  // the write fails, the token stays revoked here, and the caller gets the error.
  if (known->second.revoked_at == 0) known->second.revoked_at = now;
  auto written = co_await record_(revoke_token(id, now));
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<std::vector<Token>> Gate::tokens() {
  co_await learn();
  std::vector<Token> out;
  for (const auto& [id, token] : tokens_) out.push_back(token);
  std::ranges::sort(out, {}, [](const Token& t) { return std::pair(t.created_at, t.id); });
  co_return out;
}

void Gate::forget_codes() {
  const std::int64_t now = clock_.mono_ns() / 1'000'000;
  std::erase_if(codes_, [now](const auto& item) { return item.second <= now; });
}

Result<std::string> Gate::make_code() {
  forget_codes();
  if (codes_.size() >= limits::kLoginCodesMax) {
    return fail(ErrorCode::exhausted, "too_many_codes",
                "too many login links are unused; use one of them, or wait a minute");
  }
  std::string code = random_hex(kCodeDigits);
  codes_[sha256_hex(code)] = clock_.mono_ns() / 1'000'000 + limits::kLoginCodeMs;
  return code;
}

// The lookup by hash takes a time that says nothing about the code.
bool Gate::take_code(std::string_view code) {
  forget_codes();
  return codes_.erase(sha256_hex(code)) > 0;
}

}  // namespace drover::access
