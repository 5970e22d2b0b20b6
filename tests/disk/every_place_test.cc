// The disk refuses each call in the life of a run, one after the other: the caller gets a correct
// answer, and the daemon continues.
#include "base/journal.h"
#include "tests/disk/disk_fixture.h"

namespace drover::tests {
namespace {

class EveryPlace : public DiskTest, public ::testing::WithParamInterface<Trouble> {
 protected:
  // Submits a run that prints and exits with 7; the same key gives the same run.
  std::unique_ptr<Started> ask(int n) {
    return flock_.start({"run", "--key", "key-" + std::to_string(n), "--", "/bin/sh", "-c",
                         "echo out; echo err >&2; exit 7"});
  }

  // Whether the newest run's journal names its keeper.
  bool is_signed() {
    const auto newest = flock_.json({"ps", "-a"}).at("runs").at(0).as_object();
    const auto journal =
        read_journal_state(flock_.home().runs() + "/" + text_of(newest, "run_id") + ".run");
    return journal && journal->text.identity;
  }

  // Compares the record of the key's run with the answer that its caller got.
  void expect_true(const Output& told) {
    if (told.code == 7) {
      // Missing output must be reported. If a piece has no record of its own, stdout and stderr are
      // no longer distinguished.
      const bool whole = told.out + told.err == "out\nerr\n";
      EXPECT_TRUE(whole || told.err.find(" bytes not kept ") != std::string::npos)
          << told.out << told.err;
      EXPECT_TRUE(is_signed()) << "a keeper started the command without signing its journal";
    } else {
      EXPECT_EQ(told.code, 125) << told.out << told.err;
      EXPECT_NE(told.err.find(GetParam() == Trouble::crammed ? "space" : "error"),
                std::string::npos)
          << told.err;
    }
  }
};

// H1, H7: each call in turn: of the submission, the launch, the output, the end and its record.
TEST_P(EveryPlace, MayFailWithoutLoss) {
  const pid_t daemon = start_daemon();
  int n = 1;
  int refused_runs = 0;
  for (bool refused = true; refused && !HasFailure(); ++n) {
    disk_.fail(GetParam(), n);
    const auto attempt = ask(n);
    refused = refuses_before_end_of(*attempt);
    disk_.repair();
    const Output told = attempt->finish();
    SCOPED_TRACE("call " + std::to_string(n));
    expect_true(told);
    refused_runs += told.code == 7 ? 0 : 1;
    // Repeating the request gives that run, or a new one.
    const Output again = ask(n)->finish();
    if (told.code == 7) EXPECT_EQ(again.code, 7);
    expect_true(again);
    EXPECT_EQ(flock_.daemon(), daemon);
  }
  std::printf("%d calls were refused, and %d runs\n", n - 2, refused_runs);
  EXPECT_GT(n, 10);
  EXPECT_GT(refused_runs, 0);
  flock_.expect_verified();
}

INSTANTIATE_TEST_SUITE_P(Troubles, EveryPlace, ::testing::Values(Trouble::crammed, Trouble::broken),
                         [](const auto& info) {
                           return info.param == Trouble::crammed ? "crammed" : "broken";
                         });

}  // namespace
}  // namespace drover::tests
