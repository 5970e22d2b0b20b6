// A daemon and a client without resources: no descriptor, no memory. A request that needs them is
// refused by name, acknowledged runs are kept, and once there are resources again, everything
// works.
#include <sys/resource.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "base/limits.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;

class ResourceShortage : public AttackedFlock {
 protected:
  ResourceShortage() { begin(); }
  ~ResourceShortage() override {
    limit(RLIMIT_NOFILE, RLIM_INFINITY);
    limit(RLIMIT_AS, RLIM_INFINITY);
  }

  // Sets the daemon's limit from now on.
  void limit(__rlimit_resource resource, rlim_t most) {
    rlimit now{};
    ::prlimit(daemon(), resource, nullptr, &now);
    now.rlim_cur = std::min(most, now.rlim_max);
    EXPECT_EQ(::prlimit(daemon(), resource, &now, nullptr), 0);
  }
  pid_t daemon() {
    if (daemon_ == 0) daemon_ = flock_.daemon();
    return daemon_;
  }

 private:
  pid_t daemon_ = 0;
};

constexpr const char* kRun = R"({"command":["true"]})";

// S1: without a free descriptor, a new connection is refused with that reason and existing ones
// continue; a run that cannot be started is not recorded. With free descriptors, everything works
// again.
TEST_F(ResourceShortage, OfDescriptorsRefusesNewConnections) {
  const std::string id = flock_.run("echo words");
  flock_.ended(id);
  begin();
  race::Client first = connect();
  EXPECT_EQ(first.ask("GET", "/api/status").status, 200);
  size_t highest = 0;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(daemon()) + "/fd")) {
    highest = std::max<size_t>(highest, std::stoul(entry.path().filename()));
  }
  limit(RLIMIT_NOFILE, highest + 8);
  std::vector<race::Client> crowd;
  size_t refused = 0;
  for (int i = 0; i < 60; ++i) {
    crowd.push_back(connect());
    const race::HttpAnswer answer = crowd.back().ask("GET", "/api/status");
    if (answer.status == 200) continue;
    ++refused;
    const Refusal refusal = refusal_in(answer);
    EXPECT_EQ(refusal.status, 503);
    EXPECT_EQ(refusal.code, "no_descriptors");
  }
  EXPECT_GE(refused, 40U);
  for (const auto& [method, path] :
       {std::pair("POST", "/api/runs"), {"POST", "/api/runs?wait=1s"}}) {
    const Refusal refusal = refusal_in(first.ask(method, path, kRun));
    EXPECT_EQ(refusal.status, 503);
    EXPECT_EQ(refusal.code, "no_descriptors");
  }
  const Refusal logs = refusal_in(first.ask("GET", "/api/runs/" + id + "/logs"));
  EXPECT_EQ(logs.code, "no_descriptors");
  EXPECT_EQ(first.ask("GET", "/api/runs/" + id).text("state"), "completed");
  crowd.clear();
  // The daemon notices each closed connection with a delay; then a run can be started over the
  // remaining connection.
  race::HttpAnswer answer = first.ask("POST", "/api/runs?wait=60s", kRun);
  while (answer.status == 503) answer = first.ask("POST", "/api/runs?wait=60s", kRun);
  EXPECT_EQ(answer.text("state"), "completed");
  EXPECT_EQ(first.ask("DELETE", "/api/runs/" + answer.text("run_id")).status, 200);
  limit(RLIMIT_NOFILE, RLIM_INFINITY);
  expect_untouched();
}

// R6: a recorded cancel is carried out, although no descriptor was free to reach the keeper.
TEST_F(ResourceShortage, OfDescriptorsLosesNoCancel) {
  const std::string id = flock_.run("sleep 1000");
  flock_.wait_for_state(id, "running");
  begin();
  race::Client first = connect();
  EXPECT_EQ(first.ask("GET", "/api/status").status, 200);
  limit(RLIMIT_NOFILE, 3);
  EXPECT_EQ(first.ask("POST", "/api/runs/" + id + "/cancel").status, 202);
  // A submission takes longer than the daemon's attempt to cancel.
  EXPECT_EQ(refusal_in(first.ask("POST", "/api/runs", kRun)).code, "no_descriptors");
  limit(RLIMIT_NOFILE, RLIM_INFINITY);
  EXPECT_EQ(tests::text_of(flock_.ended(id), "state"), "canceled");
}

// A request that needs too much memory fails alone: the daemon and all other connections continue.
TEST_F(ResourceShortage, OfMemoryFailsOneRequest) {
  const std::string id = flock_.run("head -c 8000000 /dev/zero");
  flock_.ended(id);
  begin();
  race::Client other = connect();
  EXPECT_EQ(other.ask("GET", "/api/status").status, 200);
  limit(RLIMIT_AS, static_cast<rlim_t>(status_of(daemon(), "VmSize") + 1'024) * 1'024);
  std::string wide = R"({"command":[)";
  while (wide.size() < limits::kBodyBytesMax - 100) wide += R"("",)";
  wide += R"("x"]})";
  std::string deep = R"({"labels":{)";
  for (int i = 0; deep.size() < limits::kBodyBytesMax - 100; ++i)
    deep += '"' + std::to_string(i) + R"(":[],)";
  deep += R"("x":[]}})";
  for (const std::string& body : {wide, deep}) {
    const Refusal refusal = ask("POST", "/api/runs", body);
    EXPECT_EQ(refusal.status, 503);
    EXPECT_EQ(refusal.code, "out_of_memory");
  }
  // As JSON, a byte takes six; the bytes themselves may fit into what the worker has.
  const Refusal lines = ask("GET", "/api/runs/" + id + "/logs?format=ndjson");
  EXPECT_EQ(lines.status, 503);
  EXPECT_EQ(lines.code, "out_of_memory");
  const Refusal bytes = ask("GET", "/api/runs/" + id + "/logs");
  EXPECT_TRUE(bytes.status == 200 || bytes.code == "out_of_memory") << bytes.status;
  EXPECT_EQ(other.ask("GET", "/api/runs/" + id).text("state"), "completed");
  limit(RLIMIT_AS, RLIM_INFINITY);
  expect_untouched();
  EXPECT_EQ(flock_.drover({"stop"}).code, 0);  // No connection was leaked.
}

// The command line reports that it has no memory for a page, instead of crashing.
TEST_F(ResourceShortage, OfMemoryInTheClientIsReported) {
  const std::string id = flock_.run("head -c 8000000 /dev/zero; echo");
  flock_.ended(id);
  begin();
  const auto with = [&](size_t megabytes, const std::vector<std::string>& more) {
    std::vector<std::string> words{"/usr/bin/prlimit", "--as=" + std::to_string(megabytes << 20),
                                   program("drover")};
    words.insert(words.end(), more.begin(), more.end());
    return tests::Started(words, flock_.environment, "").finish();
  };
  size_t enough = 2;  // Enough to start at all.
  while (with(enough, {"version"}).code != 0 && enough < 1'000) ++enough;
  size_t refused = 0;
  for (const char* command : {"logs", "show", "wait"}) {
    for (const size_t more : {1U, 4U, 8U}) {
      const tests::Output output = with(enough + more, {command, id});
      EXPECT_TRUE(output.code == 0 || output.code == 125) << command << more << output.code;
      if (output.code == 0) continue;
      EXPECT_NE(output.err.find("memory"), std::string::npos) << output.err;
      ++refused;
    }
  }
  EXPECT_GE(refused, 1U);
  expect_untouched();
}

}  // namespace
}  // namespace drover::hostile
