// The fixture of the query tests: a store, with functions that submit, finish, retry and delete
// runs in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "access/grant.h"
#include "run/kind.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::queries {

class StoreTest : public ::testing::Test {
 protected:
  Result<store::Written> write(store::Write write) {
    return store::write_to(store_, std::move(write));
  }
  RunId must(store::Write wish) {
    auto written = write(std::move(wish));
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->record.id : RunId();
  }

  run::Record draft(const std::string& name = "", const std::string& scope = "default") {
    run::Record r;
    r.id = ids_.next();
    r.trace_id = r.id.trace_id();
    r.kind = run::kCommand;
    r.scope = scope;
    r.name = name;
    r.lane = "default";
    r.queued_at = clock_.wall_ms();
    return r;
  }
  RunId submit(run::Record record) {
    return must(run::Fact(run::Submitted{std::move(record), "", ""}));
  }
  RunId submit(const std::string& name = "", const std::string& scope = "default") {
    return submit(draft(name, scope));
  }
  // `next` is the run of the automatic retry.
  void finish(const RunId& id, int code = 0, std::optional<RunId> next = {}) {
    run::Ended ended;
    ended.id = id;
    ended.ending = run::Exited{code};
    ended.started_at = clock_.wall_ms();
    clock_.advance_ms(10);
    ended.finished_at = clock_.wall_ms();
    ended.next = next;
    must(run::Fact(ended));
  }
  RunId retry(const RunId& id, const std::string& name) {
    return must(run::Fact(run::Submitted{draft(name), "", "", id}));
  }
  void remove(const RunId& id) { must(run::Fact(run::Deleted{id})); }

  static access::Grant token(const std::string& scope) {
    access::Token token;
    token.scope = scope;
    token.can = "read,run,cancel";
    return access::grant_of(token);
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_};
};

}  // namespace drover::queries
