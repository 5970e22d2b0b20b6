// The keeper of this release under a daemon of the previous one: the programs are replaced while
// the old daemon runs, and its next cradle is the new program. This test is that daemon, and sends
// and expects frozen bytes.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "tests/old/frozen.h"

namespace drover::tests {
namespace {

constexpr std::size_t kJournal = 1024, kReportHeader = 16;
constexpr int kPatienceMs = 30'000;

class OldDaemon : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-old-XXXXXX";
    root_ = ::mkdtemp(name);
    for (const char* part : {"/runs", "/k"}) std::filesystem::create_directory(root_ + part);
    int requests[2], reports[2];
    ASSERT_EQ(::pipe(requests), 0);
    ASSERT_EQ(::pipe(reports), 0);
    cradle_ = ::fork();
    if (cradle_ == 0) {
      ::close(requests[1]);
      ::close(reports[0]);
      ::execl(DROVER_BIN "/drover-keeper", "drover-keeper", std::to_string(requests[0]).c_str(),
              std::to_string(reports[1]).c_str(), (root_ + "/runs").c_str(), (root_ + "/k").c_str(),
              "0", "", nullptr);
      ::_exit(127);
    }
    ::close(requests[0]);
    ::close(reports[1]);
    requests_ = Fd(requests[1]);
    reports_ = Fd(reports[0]);
  }
  void TearDown() override {
    requests_.close();
    ::waitpid(cradle_, nullptr, 0);
    std::filesystem::remove_all(root_);
  }

  std::string report() const {
    pollfd poll{.fd = reports_.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&poll, 1, kPatienceMs), 1) << "no report came";
    std::string bytes(kReportHeader, '\0');
    if (::read(reports_.get(), bytes.data(), kReportHeader) != kReportHeader) return bytes;
    bytes.resize(number_at<std::uint32_t>(bytes, 0));
    const ssize_t rest =
        ::read(reports_.get(), bytes.data() + kReportHeader, bytes.size() - kReportHeader);
    EXPECT_EQ(rest, static_cast<ssize_t>(bytes.size() - kReportHeader));
    return bytes;
  }

  // Connects to the keeper's socket, once it is there.
  void connect() {
    const Fd watch(::inotify_init1(IN_CLOEXEC));
    ::inotify_add_watch(watch.get(), (root_ + "/k").c_str(), IN_CREATE | IN_MOVED_TO);
    const std::string path = root_ + "/k/run_old";
    char buffer[4096];
    while (!std::filesystem::exists(path)) {
      pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(::poll(&poll, 1, kPatienceMs), 1) << "the keeper does not listen";
      ASSERT_GT(::read(watch.get(), buffer, sizeof buffer), 0);
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    control_ = Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(control_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  void expect_answer(const std::string& message, const std::string& answer) const {
    const std::string bytes = frozen(message);
    ASSERT_EQ(::send(control_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    pollfd poll{.fd = control_.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&poll, 1, kPatienceMs), 1) << "no answer to " << message;
    char buffer[64];
    const ssize_t got = ::recv(control_.get(), buffer, sizeof buffer, 0);
    ASSERT_GE(got, 0);
    EXPECT_EQ(dump({buffer, static_cast<std::size_t>(got)}), dump(frozen(answer))) << message;
  }

  // Everything but the payload, which differs from launch to launch.
  void expect_header(const std::string& report, const std::string& name) const {
    ASSERT_EQ(dump(report.substr(0, kReportHeader)), dump(frozen(name).substr(0, kReportHeader)));
    ASSERT_EQ(report.size(), frozen(name).size()) << name;
  }

  void request() const {
    const std::string bytes = frozen("request");
    ASSERT_EQ(::write(requests_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void lay_out_command() const {
    ASSERT_TRUE(
        replace_file(root_ + "/runs/run_old.run", std::string(kJournal, '\0') + frozen("command")));
  }

  std::string root_;
  pid_t cradle_ = 0;
  Fd requests_, reports_, control_;
};

// R18: a command is started, fed and reported. The same request again does not start it twice.
TEST_F(OldDaemon, IsServedByANewKeeper) {
  lay_out_command();
  request();
  const std::string started = report();
  ASSERT_NO_FATAL_FAILURE(expect_header(started, "started"));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(expect_answer("resize", "no-pty"));
  ASSERT_NO_FATAL_FAILURE(expect_answer("input", "done"));
  const std::string ended = report();
  ASSERT_NO_FATAL_FAILURE(expect_header(ended, "ended"));
  EXPECT_EQ(number_at<std::int32_t>(ended, kReportHeader), 1) << "it did not exit";
  EXPECT_EQ(number_at<std::int32_t>(ended, kReportHeader + 4), 3) << "exit code";
  EXPECT_EQ(number_at<std::uint64_t>(ended, kReportHeader + 48), 11U) << "bytes printed";
  EXPECT_EQ(read_file(root_ + "/runs/run_old/output", 100).value_or(""), "ping hello\n");
  request();
  EXPECT_EQ(dump(report()), dump(frozen("occupied")));
}

// R18: a stop ends it, with the cause in the place where the old daemon looks for it.
TEST_F(OldDaemon, StopsACommand) {
  lay_out_command();
  request();
  ASSERT_NO_FATAL_FAILURE(expect_header(report(), "started"));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(expect_answer("stop", "done"));
  const std::string ended = report();
  ASSERT_NO_FATAL_FAILURE(expect_header(ended, "ended"));
  EXPECT_EQ(number_at<std::int32_t>(ended, kReportHeader + 8), 15) << "signal";
  EXPECT_EQ(number_at<std::int32_t>(ended, kReportHeader + 24), 1) << "cause: cancel";
}

}  // namespace
}  // namespace drover::tests
