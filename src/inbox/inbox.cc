#include "inbox/inbox.h"

#include "base/crash_point.h"
#include "inbox/changes.h"
#include "inbox/stored_entry.h"
#include "process/command.h"

namespace drover::inbox {
namespace {

// The values of the run's environment that must not be shown. A finished run's are forgotten.
run::Secrets secrets_of(const Home& home, const RunId& id) {
  const auto command = process::read_command(home.run_file(id));
  return command ? run::Secrets(command->environment) : run::Secrets();
}

// A repeated request adds nothing, so it is not refused.
Result<> check_room_for_question(store::Reads& store, const RunId& run, const std::string& key) {
  const auto record = store.find(run);
  if (!record) return std::unexpected(record.error());
  if (!*record) return {};  // The transaction says so.
  auto fits = check_share(store, (*record)->scope);
  if (fits || key.empty()) return fits;
  const auto known = find_by_key(store, run.str(), key);
  if (!known) return std::unexpected(known.error());
  return *known ? Result<>{} : fits;
}

}  // namespace

Inbox::Inbox(const Clock& clock, store::ReadPool& reads, work::Pool& workers,
             spine::Recorder record, const Home& home, Changed changed)
    : clock_(clock),
      reads_(reads),
      workers_(workers),
      record_(std::move(record)),
      home_(home),
      changed_(std::move(changed)),
      ids_(clock) {}

asio::awaitable<Result<Inbox::Added>> Inbox::add(RunId run, Entry given, std::string key,
                                                 work::Caller caller) {
  if (given.is_question()) {
    // Before the transaction: counting takes milliseconds, and the writer has one thread.
    auto fits = co_await reads_.ask(caller, [run, key](store::Reads& store) {
      return check_room_for_question(store, run, key);
    });
    if (!fits) co_return std::unexpected(fits.error());
  }
  auto redacted = co_await workers_.run(
      std::move(caller),
      [home = home_, run, entry = std::move(given)](const work::Turn&) mutable -> Result<Entry> {
        redact(entry, secrets_of(home, run));
        return std::move(entry);
      });
  if (!redacted) co_return std::unexpected(redacted.error());
  Entry& entry = *redacted;
  entry.run_id = run.str();
  const std::string ulid = ids_.next().str().substr(RunId::kPrefix.size());
  entry.id = (entry.is_question() ? "question_" : "report_") + ulid;
  if (key.empty()) key = ulid;
  const std::string id = entry.id;
  crash_point("inbox.to_add");
  // As it was recorded, so that nothing needs to be read afterwards.
  const auto added = std::make_shared<std::optional<Entry>>();
  const auto written =
      co_await record_(store::Work([entry, key, added](store::Transaction& t) -> Result<> {
        if (auto ok = add_entry(t, entry, key); !ok) return ok;
        auto now = find_by_key(t, entry.run_id, key);
        if (!now) return std::unexpected(now.error());
        *added = std::move(*now);
        return {};
      }));
  if (!written) co_return std::unexpected(written.error());
  crash_point("inbox.added");
  if (!*added) co_return no_such_entry(id);  // Trimmed at once, by a flood of others.
  changed_(**added);
  const bool replayed = (*added)->id != id;
  co_return Added{.entry = std::move(**added), .replayed = replayed};
}

asio::awaitable<Result<Entry>> Inbox::close(std::string id, Happening happening, Answer answer,
                                            std::string by) {
  crash_point("inbox.to_close");
  const auto closed = std::make_shared<Entry>();
  const auto written =
      co_await record_(store::Work([id, happening, answer = std::move(answer), by = std::move(by),
                                    closed](store::Transaction& t) -> Result<> {
        if (auto ok = close_question(t, id, happening, answer, by); !ok) return ok;
        auto now = find_entry(t, id);
        if (!now) return std::unexpected(now.error());
        *closed = std::move(*now);
        return {};
      }));
  if (!written) co_return std::unexpected(written.error());
  crash_point("inbox.closed");
  changed_(*closed);
  co_return std::move(*closed);
}

asio::awaitable<Result<Entry>> Inbox::answer(std::string id, Answer answer, std::string by) {
  co_return co_await close(std::move(id), Happening::answer, std::move(answer), std::move(by));
}

asio::awaitable<Result<Entry>> Inbox::dismiss(std::string id, std::string by) {
  co_return co_await close(std::move(id), Happening::dismiss, {}, std::move(by));
}

asio::awaitable<Result<Entry>> Inbox::withdraw(std::string id) {
  co_return co_await close(std::move(id), Happening::withdraw, {}, "");
}

}  // namespace drover::inbox
