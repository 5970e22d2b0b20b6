// Files of another user: a home that would make root start what that user wrote, a run's file that
// another user has or can write. Nothing of it is executed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/json/array.hpp>
#include <filesystem>

#include "tests/hostile/attacked_flock.h"
#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 61'234;  // As in tests/hostile/foreign_home_test.cc.

bool is_root() {
  return ::geteuid() == 0;  // Only root can make files of another user.
}

void foreign_home(Target& target, tests::SeededRandom& random) {
  if (!is_root()) return;
  const std::string home = target.census.plant_den();
  EXPECT_EQ(::chown(home.c_str(), kStranger, kStranger), 0);
  const bool is_command = random.below(2) == 0;
  std::vector<std::string> words{hostile::program(is_command ? "drover" : "droverd")};
  if (is_command) words.insert(words.end(), {"run", "--", "/bin/touch", home + "/ran"});
  const tests::Output output = tests::Started(words, {{"DROVER_HOME", home}}, "", "/").finish();
  EXPECT_NE(output.code, 0) << output.out;
  EXPECT_NE(output.err.find("user 61234"), std::string::npos) << output.err;
  EXPECT_TRUE(fs::is_empty(home)) << "root has created something in the home of another user";
}

void foreign_run_file(Target& target, tests::SeededRandom& random) {
  const bool is_given_away = is_root() && random.below(2) == 0;
  const std::string den = target.census.plant_den();
  static std::atomic<int> count = 0;
  const std::string lane = "foreign-" + std::to_string(++count);
  (void)target.ask(
      {.method = "PUT", .target = "/api/lanes/" + lane, .body = {{"limit", 1}, {"paused", true}}});
  const tests::DaemonAnswer answer = target.ask(
      {.method = "POST",
       .target = "/api/runs",
       .body = {{"command", {"/bin/touch", den + "/ran"}}, {"cwd", "/"}, {"lane", lane}}});
  const std::string id = tests::text_of(answer.body, "run_id");
  const std::string file = target.flock.home().runs() + "/" + id + ".run";
  const int changed =
      is_given_away ? ::chown(file.c_str(), kStranger, kStranger) : ::chmod(file.c_str(), 0666);
  EXPECT_EQ(changed, 0) << answer.text;
  (void)target.ask({.method = "PUT", .target = "/api/lanes/" + lane, .body = {{"paused", false}}});
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(tests::text_of(record.body, "state"), "failed") << record.text;
  EXPECT_FALSE(fs::exists(den + "/ran"));
  EXPECT_EQ(::chown(file.c_str(), ::geteuid(), ::getegid()), 0);
  EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
  (void)target.ask({.method = "DELETE", .target = "/api/lanes/" + lane});
}

constexpr auto kAll = std::to_array<Attack>({
    {"home of another user", foreign_home},
    {"run file of another user", foreign_run_file},
});

}  // namespace

std::span<const Attack> foreign_homes() {
  return kAll;
}

}  // namespace drover::siege
