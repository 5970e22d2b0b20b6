// A stand-in for a keeper of the previous release: it keeps a real command, and writes and reads
// the frozen bytes alone. It shares no code with the product.
//
//   old-keeper RUN_FILE CONTROLS RUN_ID
//
// It prints "ready" once it listens, then each packet that it receives, in hex.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "tests/old/frozen.h"

namespace {

using drover::tests::frozen;
using drover::tests::number_at;
using drover::tests::put_number;

// Where a record of the journal stands, and its bytes without the checksum in front.
struct Place {
  std::size_t at, bytes;
};
constexpr Place kIdentity{0, 56}, kStarted{128, 32}, kStatus{256, 48}, kEnding{384, 512},
    kUsage{904, 48};
constexpr std::size_t kJournal = 1024;

constexpr int kStop = 2, kInput = 3, kInputEnd = 4;  // The operations that this keeper carries out.

void check(bool done, const char* what) {
  if (done) return;
  std::perror(what);
  std::exit(1);
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t mono_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces.
std::uint64_t start_ticks(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream words(stat.substr(stat.rfind(')') + 2));
  std::string word;
  for (int field = 3; field <= 22; ++field) words >> word;
  return std::stoull(word);
}

std::string record(Place place) {
  return frozen("journal").substr(place.at + 8, place.bytes);
}

void write_record(int file, Place place, const std::string& record) {
  std::uint64_t sum = 14695981039346656037ULL ^ (1ULL << 32 | place.at);
  for (const char byte : record) {
    sum = (sum ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  std::string slot(8, '\0');
  put_number(slot, 0, sum);
  slot += record;
  const auto size = static_cast<ssize_t>(slot.size());
  check(::pwrite(file, slot.data(), slot.size(), static_cast<off_t>(place.at)) == size, "pwrite");
}

void claim(int file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  check(::fcntl(file, F_OFD_SETLK, &lock) == 0, "lock");
  std::string identity = record(kIdentity);
  const std::string boot = text_of("/proc/sys/kernel/random/boot_id");
  identity.replace(0, 36, boot, 0, 36);
  put_number(identity, 40, static_cast<std::int32_t>(::getpid()));
  put_number(identity, 48, start_ticks(::getpid()));
  write_record(file, kIdentity, identity);
}

// The command: its standard input is `*input`.
pid_t start_command(int file, int* input) {
  int ends[2];
  check(::pipe2(ends, O_CLOEXEC) == 0, "pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::execl("/bin/sh", "sh", "-c", "read line; read line; exit 3", nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  *input = ends[1];
  std::string started = record(kStarted);
  put_number(started, 0, static_cast<std::int32_t>(pid));
  put_number(started, 16, now_ms());
  put_number(started, 24, mono_ns());
  write_record(file, kStarted, started);
  return pid;
}

int listen_in(const std::string& controls, const std::string& name) {
  check(::chdir(controls.c_str()) == 0, "chdir");
  ::unlink(name.c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  check(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
  check(::listen(fd, 8) == 0, "listen");
  return fd;
}

// Whether the daemon asked for a stop.
bool serve(int listener, pid_t command, int input) {
  const int caller = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  char buffer[4096];
  const ssize_t got = ::recv(caller, buffer, sizeof buffer, 0);
  const std::string packet(buffer, got < 0 ? 0 : static_cast<std::size_t>(got));
  std::printf("%s\n", drover::tests::dump(packet).c_str());
  std::fflush(stdout);
  const int op = packet.size() < 16 ? 0 : number_at<std::uint16_t>(packet, 2);
  const std::string answer = frozen("done");
  check(::send(caller, answer.data(), answer.size(), MSG_NOSIGNAL) > 0, "send");
  ::close(caller);
  if (op == kStop) ::kill(command, SIGTERM);
  if (op == kInput) check(::write(input, packet.data() + 16, packet.size() - 16) > 0, "write");
  if (op == kInputEnd) ::close(input);
  return op == kStop;
}

void write_end(int file, int status, bool was_stopped) {
  std::string record_of_status = record(kStatus);
  put_number(record_of_status, 0, WIFEXITED(status) ? 1 : 0);
  put_number(record_of_status, 4, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  put_number(record_of_status, 8, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  put_number(record_of_status, 12, 0);                    // No core was dumped.
  put_number(record_of_status, 16, 0);                    // No step of the launch failed,
  put_number(record_of_status, 20, 0);                    // with no errno.
  put_number(record_of_status, 24, was_stopped ? 1 : 0);  // 1: cancel.
  put_number(record_of_status, 32, now_ms());
  put_number(record_of_status, 40, mono_ns());
  write_record(file, kStatus, record_of_status);
  write_record(file, kUsage, record(kUsage));
  std::string ending = record(kEnding);
  ending.replace(0, kStatus.bytes, record_of_status);
  put_number(ending, 80, was_stopped ? now_ms() : 0);  // TERM.
  put_number(ending, 88, std::int64_t{0});             // KILL.
  put_number(ending, 96, now_ms());
  put_number(ending, 104, was_stopped ? 2 : 0);  // Signaled: the names are the frozen ones.
  put_number(ending, 108, 0);                    // Nothing outlived the command,
  put_number(ending, 112, 0);                    // and nothing survived.
  put_number(ending, 504, std::int64_t{0});      // No output was dropped.
  write_record(file, kEnding, ending);
  const auto environment = number_at<std::uint32_t>(frozen("command"), 16);
  check(::ftruncate(file, static_cast<off_t>(kJournal + environment)) == 0, "truncate");
}

}  // namespace

int main(int, char** argv) {
  const std::string run_file = argv[1], controls = argv[2], id = argv[3];
  const std::string name = id.substr(id.size() - 20);
  const int file = ::open(run_file.c_str(), O_RDWR | O_CLOEXEC);
  check(file >= 0, "open");
  claim(file);
  int input = -1;
  const pid_t command = start_command(file, &input);
  const int exited = static_cast<int>(::syscall(SYS_pidfd_open, command, 0));
  const int listener = listen_in(controls, name);
  std::printf("ready\n");
  std::fflush(stdout);
  bool was_stopped = false;
  pollfd polls[] = {{exited, POLLIN, 0}, {listener, POLLIN, 0}};
  while (::poll(polls, 2, -1) > 0 && polls[0].revents == 0) {
    if (polls[1].revents != 0) was_stopped |= serve(listener, command, input);
  }
  int status = 0;
  check(::waitpid(command, &status, 0) == command, "waitpid");
  write_end(file, status, was_stopped);
  ::unlink(name.c_str());
  return 0;
}
