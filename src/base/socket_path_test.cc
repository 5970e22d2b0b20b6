#include "base/socket_path.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <filesystem>

#include "testing/directory.h"

namespace drover {
namespace {

bool can_bind(const std::string& path) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// A socket can be bound at a path of any length, and exists under its whole name.
TEST(SocketPaths, WorkAtEveryLength) {
  const testing::TestDirectory directory;
  for (const size_t extra : {size_t{1}, size_t{50}, size_t{100}, size_t{250}}) {
    const std::string deep = directory.file(std::string(extra, 'd'));
    std::filesystem::create_directory(deep);
    const std::string path = deep + "/drover.sock";
    const auto socket = SocketPath::of(path);
    ASSERT_TRUE(socket) << socket.error().message;
    EXPECT_EQ(socket->str() == path, path.size() <= 107) << path.size();
    EXPECT_TRUE(can_bind(socket->str())) << path.size();
    EXPECT_TRUE(std::filesystem::is_socket(path)) << path.size();
  }
}

// The error for a path that cannot be used says why.
TEST(SocketPaths, ExplainWhyAPathIsUnusable) {
  const testing::TestDirectory directory;
  const auto nowhere = SocketPath::of(directory.file("not/there/" + std::string(100, 'x')));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().reason, "system_error");
  const auto endless = SocketPath::of(directory.file(std::string(200, 'x')));
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().reason, "invalid_value");
}

}  // namespace
}  // namespace drover
