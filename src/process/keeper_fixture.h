// The fixture for tests of keepers: a real cradle, and real commands as processes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "base/output_file.h"
#include "process/command.h"
#include "process/control.h"
#include "process/cradle.h"
#include "process/marks.h"
#include "process/pid_ref.h"
#include "process/tree.h"

namespace drover::process {

class KeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-keeper-XXXXXX";
    root_ = ::mkdtemp(name);
    for (const char* directory : {"/runs", "/k"})
      ASSERT_TRUE(make_private_directory(root_ + directory));
    start_cradle();
  }
  void TearDown() override {
    cradle_.requests.close();
    // The cradle exits after its last keeper: so nothing is left behind.
    if (cradle_.pid != 0) ::waitpid(cradle_.pid, nullptr, 0);
    (void)remove_tree(root_);
  }

  void start_cradle(std::int64_t reader_away_ms = limits::kReaderAwayMs) {
    auto started = Cradle::start(DROVER_BIN "/drover-keeper", root_ + "/runs", root_ + "/k", 0, {},
                                 reader_away_ms);
    ASSERT_TRUE(started);
    cradle_ = std::move(*started);
  }

  std::string directory(const std::string& name) const { return root_ + "/runs/" + name; }
  std::string file(const std::string& name) const { return directory(name) + ".run"; }

  Command shell(const std::string& script) const {
    return {.argv = {"/bin/sh", "-c", script},
            .environment = {"PATH=/usr/bin:/bin", "DROVER_TEST=" + root_},
            .cwd = "/",
            .grace_ms = 2'000,
            .output_bytes_max = 1 << 20};
  }

  void request(const std::string& name, const Command& command) {
    ASSERT_TRUE(write_command(file(name), command));
    ask(name);
  }
  void ask(const std::string& name) {
    const Request r = make_request(++tag_, name);
    ASSERT_EQ(::write(cradle_.requests.get(), &r, sizeof r), static_cast<ssize_t>(sizeof r));
  }

  // The next report, without those of the output's growth, which most tests do not need.
  Report next_report() {
    Report report = next_report_of_any_kind();
    while (report.header.kind == ReportKind::grown) report = next_report_of_any_kind();
    return report;
  }
  Report next_report_of_any_kind() {
    pollfd poll{.fd = cradle_.reports.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&poll, 1, 30'000), 1) << "no report came";
    Report report;
    EXPECT_EQ(read_report(cradle_.reports.get(), report), ReportRead::valid);
    return report;
  }
  Report report_of(ReportKind kind) {
    Report report;
    do {
      report = next_report();
    } while (report.header.kind != kind && report.header.kind != ReportKind::ended &&
             report.header.kind != ReportKind::lost);
    EXPECT_EQ(report.header.kind, kind);
    return report;
  }
  EndingRecord run(const Command& command) {
    const std::string name = "r" + std::to_string(tag_ + 1);
    request(name, command);
    Report report;
    do {
      report = next_report();  // Skips late reports of other launches.
    } while (report.header.tag != tag_ || report.header.kind == ReportKind::started);
    EXPECT_EQ(report.header.kind, ReportKind::ended);
    return report.ended.ending;
  }

  std::string output(const std::string& name, Stream stream = Stream::both) {
    OutputReader reader(directory(name));
    std::uint64_t next = 0;
    std::string text;
    auto pieces = reader.read(0, 1 << 24, stream, &next);
    EXPECT_TRUE(pieces);
    for (const OutputPiece& piece : *pieces) text += piece.bytes;
    return text;
  }
  // Calls `seen` after every change in `directory`, until it returns true.
  void watch(const std::string& path, const std::function<bool()>& seen) {
    const Fd watch(::inotify_init1(IN_CLOEXEC));
    ASSERT_GE(::inotify_add_watch(watch.get(), path.c_str(), IN_CREATE | IN_MODIFY | IN_MOVED_TO),
              0);
    char buffer[4096];
    while (!seen()) {
      pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(::poll(&poll, 1, 30'000), 1) << "the directory did not change within 30 s";
      ASSERT_GT(::read(watch.get(), buffer, sizeof buffer), 0);
    }
  }
  void wait_for_output(const std::string& name, std::string_view wanted) {
    std::filesystem::create_directory(directory(name));  // The first caller creates it.
    watch(directory(name), [&] { return output(name).find(wanted) != std::string::npos; });
  }

  int tell(const std::string& name, ControlOp op, std::int64_t argument,
           std::string_view payload = {}) {
    Fd fd;
    watch(root_ + "/k", [&] {
      auto connected = connect_control(root_ + "/k", name);
      if (connected) fd = std::move(*connected);
      return static_cast<bool>(fd);
    });
    ControlMessage message{.op = op,
                           .payload_bytes = static_cast<std::uint32_t>(payload.size()),
                           .argument = argument};
    std::string bytes(reinterpret_cast<const char*>(&message), sizeof message);
    bytes += payload;
    EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    pollfd poll{.fd = fd.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&poll, 1, 10'000), 1);
    ControlAnswer answer;
    EXPECT_EQ(::recv(fd.get(), &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
    return answer.error_number;
  }

  std::vector<MarkedProcess> left_alive() const {
    const Marks mine[] = {{.value = root_}};
    return find_marked({.variable = "DROVER_TEST", .marks = mine});
  }

  std::string root_;
  Cradle cradle_;
  std::uint64_t tag_ = 0;
};

}  // namespace drover::process
