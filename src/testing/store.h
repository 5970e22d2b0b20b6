// MemoryStore keeps the contract of a Store (store/store.h) in memory: the same judgement, the same
// answers, nothing on disk. It passes the same contract suite as SQLite, so what a test proves with
// it holds for the real one.
//
// Telling::own_thread: as the real one, writes are carried out and `done` is called on a thread of
// the store's own, soon; the destructor carries out what is queued. For tests with a loop.
// Telling::at_flush: nothing happens until `flush()`, which carries out everything queued, in
// order, on the calling thread. For tests that decide when a commit is over.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "store/dependencies.h"
#include "store/store.h"

namespace drover::testing {

enum class Telling : std::uint8_t { own_thread, at_flush };

class MemoryStore final : public store::Store {
 public:
  // `clock` must outlive the store.
  explicit MemoryStore(const Clock& clock, Telling telling = Telling::own_thread,
                       size_t queued_max = limits::kQueuedMax);
  ~MemoryStore() override;

  // Carries out and answers what is queued, also what is added meanwhile. How many that were.
  size_t flush();

  // As no Drover would do it: what is kept of a play session is this from now on.
  void damage_session(const RunId& id, const std::string& text);

  void write(store::Write write, store::Done done) override;
  Result<std::optional<run::Record>> find(const RunId& id) override;
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override;
  Result<std::vector<run::Record>> list(const store::Query& query) override;
  Result<std::vector<run::Event>> events(const store::EventQuery& query) override;
  Result<std::optional<run::Event>> terminal_event(const RunId& id) override;
  Result<bool> knows_key(const std::string& scope, const std::string& key) override;
  Result<std::int64_t> last_seq() override;
  Result<std::vector<store::Lane>> lanes() override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override;
  Result<std::vector<store::Token>> tokens() override;
  Result<std::vector<store::Project>> projects() override;

 private:
  struct Item {
    store::Write write;
    store::Done done;
  };
  struct Key {
    RunId id;
    std::string digest;
  };

  void loop();
  std::deque<Item> take();
  // Everything below: with mutex_ held.
  Result<store::Written> carry_out(const store::Write& write);
  Result<store::Written> record(const run::Fact& fact);
  std::optional<Result<store::Written>> replay(const run::Submitted& fact) const;
  Result<> check_new(const std::vector<run::Event>& events) const;
  const run::Record* known(const RunId& id) const;
  Result<store::Written> remove_lane(const std::string& name);
  Result<store::Written> write_token(const store::TokenIssued& wish);
  Result<store::Written> write_token(const store::TokenRevoked& wish);
  Result<store::Written> write_project(const store::ProjectAdded& wish);
  Result<store::Written> write_project(const store::ProjectRemoved& wish);
  const run::Record* rival_of(const run::Record& record) const;
  run::Moment moment_of(const run::Fact& fact, const run::Record* before) const;
  store::Standing standing_of(const RunId& id) const;
  const store::Lane* lane_named(const std::string& name) const;
  std::int64_t count(const std::string& lane, bool queued) const;

  const Clock& clock_;
  const Telling telling_;
  const size_t queued_max_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  bool stopping_ = false;

  std::map<std::int64_t, run::Record> runs_;
  std::map<RunId, std::int64_t> numbers_;
  std::vector<run::Event> spine_;  // seq is the place, from 1.
  std::set<std::pair<RunId, std::int64_t>> recorded_;
  std::map<RunId, std::int64_t> ends_;        // Of each ended run: the seq of its terminal event.
  std::map<std::string, store::Lane> lanes_;  // Without their counts.
  std::map<std::pair<std::string, std::string>, Key> keys_;
  std::map<std::string, store::Token> tokens_;
  std::map<std::string, store::Project> projects_;

  std::thread thread_;
};

}  // namespace drover::testing
