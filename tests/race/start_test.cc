// Many clients want the same thing at the same time: one run for one key, one daemon for one home.
#include <poll.h>
#include <signal.h>

#include <boost/json/serialize.hpp>
#include <memory>
#include <set>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class Start : public Race {};

// Many clients submit with one key at the same time: all get the same run, one of them created it,
// and it was executed once. A different request under the key is refused.
TEST_F(Start, WithOneKeyCreatesOneRun) {
  each_round(
      [&](int round, std::mt19937& random) {
        std::vector<Client> clients;
        for (int i = 0; i < 6; ++i) clients.push_back(connect());
        const std::string key = "Idempotency-Key: key-" + std::to_string(round) + "\r\n";
        const size_t stranger = static_cast<size_t>(between(random, 0, 11));  // Or none.
        for (size_t i = 0; i < clients.size(); ++i) {
          const int us = i == stranger ? 1 : 0;
          clients[i].send(request_of("POST", "/api/runs", submission("brief", us), key));
        }
        std::set<std::string> ids;
        int made = 0, refused = 0;
        for (Client& client : clients) {
          const HttpAnswer told = client.take();
          SCOPED_TRACE(told.head + boost::json::serialize(told.body));
          EXPECT_TRUE(told.status == 202 || told.status == 409);
          refused += told.status == 409 ? 1 : 0;
          if (told.status != 202) continue;
          ids.insert(told.text("run_id"));
          made += told.has_header("Idempotent-Replayed: true") ? 0 : 1;
        }
        ASSERT_EQ(ids.size(), 1U);
        EXPECT_EQ(made, 1);
        // The different request was refused, or it came first and all others were.
        EXPECT_TRUE(stranger < 6 ? refused == 1 || refused == 5 : refused == 0) << refused;
        remember(*ids.begin());
        EXPECT_EQ(wait(clients[0], *ids.begin()).number("exit_code"), 7);
      },
      2);
  expect_settled();
}

// One keeper runs one short command after another: a command's attack on its keeper does not harm
// the next command.
TEST_F(Start, AfterAnAttackOnTheKeeperWorks) {
  each_round([&](int round, std::mt19937&) {
    Client client = connect();
    const bool bad = round % 2 == 0;
    const HttpAnswer record =
        client.ask("POST", "/api/runs?wait=60s", submission(bad ? "parting_shot" : "brief", 1'000));
    SCOPED_TRACE(boost::json::serialize(record.body));
    remember(record.text("run_id"));
    EXPECT_EQ(record.text("state"), "failed");
    if (!bad || record.number("signal") == -1) EXPECT_EQ(record.number("exit_code"), 7);
    if (!bad) EXPECT_EQ(signaled_at(record, "term_at"), "");
  });
  expect_settled();
}

// Several daemons are started on one home, after a clean or unclean exit of the last one: one gets
// it, the others exit with the reason, and each adopts a run that survives them all.
TEST(Daemons, OneGetsTheHome) {
  tests::Flock flock;
  const std::string id = flock.run(tests::until_file(flock.file("go")) + "exit 3");
  flock.wait_for_state(id, "running");
  for (int round = 0; round < 12; ++round) {
    if (round % 2 == 0) {
      flock.kill_daemon();
    } else {
      flock.ok({"stop"});
    }
    std::vector<std::unique_ptr<tests::Started>> daemons;
    std::vector<Fd> lives;
    for (int i = 0; i < 4; ++i) {
      daemons.push_back(std::make_unique<tests::Started>(
          std::vector<std::string>{DROVER_BIN "/droverd"}, flock.environment, ""));
      lives.push_back(tests::open_pid(daemons.back()->pid()));
    }
    // Until all but one are gone.
    std::vector<pollfd> polls;
    for (const Fd& life : lives)
      polls.push_back({.fd = life.get(), .events = POLLIN, .revents = 0});
    size_t winner = polls.size();
    for (size_t left = polls.size(); left > 1;) {
      ASSERT_GT(::poll(polls.data(), polls.size(), 60'000), 0) << "two daemons have one home";
      for (pollfd& poll : polls) {
        if (poll.revents != 0) poll.fd = -1, poll.revents = 0, --left;
      }
    }
    for (size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].fd >= 0) {
        winner = i;
        continue;
      }
      const tests::Output output = daemons[i]->finish();
      EXPECT_EQ(output.code, 6) << output.err;
      EXPECT_NE(output.err.find("daemon_running"), std::string::npos) << output.err;
    }
    ASSERT_LT(winner, polls.size()) << "no daemon is left";
    daemons[winner]->wait_for_error("ready");
    EXPECT_EQ(flock.daemon(), daemons[winner]->pid());
    EXPECT_EQ(tests::text_of(flock.show(id), "state"), "running");
    flock.ok({"stop"});
    EXPECT_EQ(daemons[winner]->finish().code, 0);
  }
  flock.touch("go");
  EXPECT_EQ(flock.drover({"wait", id}).code, 3);
  flock.expect_verified();
}

// A daemon started by a command keeps no descriptor of the command's caller: a shell's lock, or a
// pipe whose end another program waits for.
TEST(Daemons, KeepNoDescriptorOfTheirCaller) {
  tests::Flock flock;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  flock.ended(flock.run("exit 0"));
  theirs.close();
  pollfd poll{.fd = ours.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 1) << "the daemon holds the other end";
}

// Several commands start in a home without a daemon: all of them are served, by the same one (S1).
TEST(Daemons, OneServesManyFirstCommands) {
  tests::Flock flock;
  std::set<std::string> ids;
  for (int round = 0; round < 6; ++round) {
    std::vector<std::unique_ptr<tests::Started>> commands;
    for (int i = 0; i < 6; ++i) commands.push_back(flock.start({"run", "-d", "--", "true"}));
    for (auto& command : commands) {
      const tests::Output output = command->finish();
      EXPECT_EQ(output.code, 0) << output.err;
      ids.insert(output.out.substr(0, output.out.find('\n')));
    }
    if (round % 2 == 0) {
      flock.kill_daemon();
    } else {
      flock.ok({"stop"});
    }
  }
  EXPECT_EQ(ids.size(), 36U);
  for (const std::string& id : ids) EXPECT_EQ(flock.drover({"wait", id}).code, 0) << id;
  flock.expect_verified();
}

}  // namespace
}  // namespace drover::race
