#include "queries/exact_readers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "base/output_file.h"
#include "process/control.h"
#include "queries/old_reserves.h"
#include "queries/store_fixture.h"
#include "testing/directory.h"

namespace drover::queries {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::int64_t kHungUp = -2;  // The daemon has closed the connection.

// A run in a store, and the socket of its keeper.
class ExactReadersTest : public StoreTest {
 protected:
  ExactReadersTest() {
    EXPECT_TRUE(home_.create());
    open({.first_report = 0ms, .retry = 0ms, .retry_max = 0ms});
  }

  void open(ExactReaders::Timeouts timeouts) {
    readers_.emplace(loop_.get_executor(), home_, reads_, timeouts);
  }
  void listen() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path =
        home_.controls() + "/" + std::string(process::control_name(run_.view()));
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    listener_ = Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener_.get(), 4), 0);
  }
  // The next position that the keeper receives.
  std::int64_t told() {
    if (!connection_) {
      turn_until(listener_);
      connection_ = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
    turn_until(connection_);
    process::ControlMessage message;
    const ssize_t n = ::recv(connection_.get(), &message, sizeof message, 0);
    if (n != static_cast<ssize_t>(sizeof message)) return kHungUp;
    EXPECT_EQ(message.op, process::ControlOp::read_to);
    return message.argument;
  }
  // Runs the loop until that descriptor is readable.
  void turn_until(const Fd& fd) {
    pollfd ready{.fd = fd.get(), .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, 0) == 0) turn();
  }
  void turn() {
    loop_.restart();
    loop_.run_one_for(10s);
  }
  // Output that has more than its limit, kept for an exact reader.
  void print() {
    fs::create_directories(home_.run_directory(run_));
    const Fd directory(::open(home_.run_directory(run_).c_str(), O_PATH | O_CLOEXEC));
    OutputWriter writer(directory.get(), limits::kOutputLimitMin, true);
    writer.append(Stream::out, std::string(5 << 20, 'x'), 1);
  }
  size_t files() {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(home_.run_directory(run_)), {}));
  }

  asio::io_context loop_{1};
  store::ReadPool reads_{loop_.get_executor(), store_};
  testing::TestDirectory directory_;
  const Home home_{.config = directory_.file("config"),
                   .state = directory_.file("state"),
                   .runtime = directory_.file("run")};
  const RunId run_ = submit();
  std::optional<ExactReaders> readers_;
  Fd listener_, connection_;
};

// R11: the keeper of a queued run learns of its reader, however late it starts.
TEST_F(ExactReadersTest, AQueuedRunKeepsItsReader) {
  const ExactReaders::Reader reader(*readers_, run_);
  for (int i = 0; i < 1'000; ++i) turn();
  listen();
  EXPECT_EQ(told(), 0);
}

// R11: the keeper learns that the reader has left, also if it starts only later.
TEST_F(ExactReadersTest, TheKeeperLearnsThatTheReaderLeft) {
  {
    const ExactReaders::Reader reader(*readers_, run_);
  }
  for (int i = 0; i < 1'000; ++i) turn();
  EXPECT_EQ(readers_->size(), 1U);
  listen();
  EXPECT_EQ(told(), -1);
  EXPECT_EQ(readers_->size(), 0U);
}

// R11: a reader that comes while an earlier one is still letting go is the reader.
TEST_F(ExactReadersTest, ANewReaderCancelsALetGo) {
  {
    const ExactReaders::Reader reader(*readers_, run_);
  }
  for (int i = 0; i < 10; ++i) turn();
  const ExactReaders::Reader next(*readers_, run_);
  listen();
  EXPECT_EQ(told(), 0);
}

// R11: the end of the daemon, or of a connection, is not the death of the reader: the keeper is
// only disconnected, and informed later if nobody returns.
TEST_F(ExactReadersTest, AReaderMayReturn) {
  listen();
  {
    ExactReaders::Reader reader(*readers_, run_);
    EXPECT_EQ(told(), 0);
    reader.may_return();
  }
  EXPECT_EQ(told(), kHungUp);
  EXPECT_TRUE(readers_->may_have_reader(run_));
  connection_.close();
  {
    ExactReaders::Reader reader(*readers_, run_);
    EXPECT_EQ(told(), 0);
  }
  EXPECT_EQ(told(), -1);
}

// R11: after the run, what was kept for a reader stays until no reader can come any more.
TEST_F(ExactReadersTest, TheReserveIsRemovedIfNobodyComes) {
  print();
  const size_t before = files();
  readers_->expect(run_);
  {
    ExactReaders::Reader reader(*readers_, run_);
    finish(run_);
    reader.may_return();
  }
  EXPECT_EQ(files(), before);
  open({.reader_away = 0ms, .retry = 0ms, .retry_max = 0ms});  // The next daemon.
  EXPECT_FALSE(readers_->may_have_reader(run_));
  readers_->expect(run_);
  EXPECT_TRUE(readers_->may_have_reader(run_));
  while (readers_->size() > 0) turn();
  EXPECT_EQ(files(), 4U);  // The head, and the segment with the last bytes.
}

// The reserve is removed when the reader leaves after the end of its run.
TEST_F(ExactReadersTest, TheReserveIsRemovedWithItsReader) {
  print();
  finish(run_);
  {
    const ExactReaders::Reader reader(*readers_, run_);
  }
  EXPECT_EQ(readers_->size(), 0U);
  EXPECT_EQ(files(), 4U);
}

// R11: the next daemon removes what earlier ones kept for readers, of every finished run, however
// many have finished since. A run that is being read keeps it.
TEST_F(ExactReadersTest, OldReservesAreRemoved) {
  print();
  const size_t before = files();
  run::Ended ended{.id = run_, .ending = run::Exited{0}};
  ended.stdout_bytes = 5 << 20;
  ended.started_at = ended.finished_at = clock_.wall_ms();
  must(run::Fact(ended));
  for (size_t i = 0; i < limits::kPageDefault + 1; ++i) finish(submit());
  open({.reader_away = 0ms, .retry = 0ms, .retry_max = 0ms});
  const auto sweep = [&] {
    bool done = false;
    asio::co_spawn(loop_, remove_old_reserves(*readers_, reads_, home_),
                   [&](const std::exception_ptr&) { done = true; });
    while (!done) turn();
  };
  {
    ExactReaders::Reader reader(*readers_, run_);
    sweep();
    EXPECT_EQ(files(), before);
    reader.may_return();
  }
  while (readers_->size() > 0) turn();
  EXPECT_EQ(files(), 4U);
  fs::remove_all(home_.run_directory(run_));
  print();
  sweep();
  EXPECT_EQ(files(), 4U);
}

}  // namespace
}  // namespace drover::queries
