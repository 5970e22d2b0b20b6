#include "play/blocking_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/output_file.h"
#include "testing/directory.h"

namespace drover::play {
namespace {

class BlockingLine : public ::testing::Test {
 protected:
  BlockingLine() {
    record_.id = *RunId::parse("run_0123456789abcdefghjkmnpqrs");
    record_.receipt = R"({"drained":true})";
    EXPECT_TRUE(make_private_directory(home_.run_directory(record_.id)));
    output_ = Fd(::open(home_.run_directory(record_.id).c_str(), O_DIRECTORY | O_CLOEXEC));
    OutputWriter writer(output_.get(), 1'000'000);
    writer.append(Stream::out, "checking\n", 1);
    writer.append(Stream::err, "careful\n", 2);
    record_.stdout_bytes = 9;
    record_.stderr_bytes = 8;
  }
  // The code of the change; empty: the pack may begin.
  std::string code() {
    boost::asio::io_context loop;
    std::string out = "unfinished";
    co_spawn(
        loop,
        [&]() -> boost::asio::awaitable<void> {
          const auto change = co_await find_blocking_line(home_, record_);
          out = change ? change->code : "";
        },
        boost::asio::detached);
    loop.run();
    return out;
  }

  testing::TestDirectory directory_;
  Home home_{.config = directory_.path(), .state = directory_.path(), .runtime = directory_.path()};
  run::Record record_;
  Fd output_;  // Its directory.
};

// P1: output that was not read to its end may lack a blocking diagnostic.
TEST_F(BlockingLine, BlocksIfTheOutputWasNotDrained) {
  EXPECT_EQ(code(), "");
  for (const char* receipt :
       {R"({"drained":false})", "", "{}", R"({"drained":1})", "[]", "{\"drained\":tr"}) {
    record_.receipt = receipt;
    EXPECT_EQ(code(), "validation_incomplete") << receipt;
  }
}

// P1: in bytes of which nobody knows the stream, one stream can cut the lines of the other.
TEST_F(BlockingLine, BlocksIfTheStreamsAreMixed) {
  const Fd index(::openat(output_.get(), "index", O_RDWR | O_CLOEXEC));
  IndexRecord last;
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + sizeof last);
  ASSERT_EQ(::pread(index.get(), &last, sizeof last, at), static_cast<ssize_t>(sizeof last));
  last.stream = static_cast<std::uint16_t>(Stream::both);
  ASSERT_EQ(::pwrite(index.get(), &last, sizeof last, at), static_cast<ssize_t>(sizeof last));
  EXPECT_EQ(code(), "validation_incomplete");
}

}  // namespace
}  // namespace drover::play
