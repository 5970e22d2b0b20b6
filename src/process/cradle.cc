#include "process/cradle.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <utility>

#include "process/packet_pair.h"

namespace drover::process {

Result<Cradle> Cradle::start(const std::string& program, const std::string& runs,
                             const std::string& controls, std::uint64_t descriptors_max,
                             const std::string& cgroups, std::int64_t reader_away_ms) {
  PacketPair request, report;
  if (!request.open() || !report.open()) return fail_errno("cannot create a socket", errno);
  const Fd& requests_read = request.theirs;
  const Fd& reports_write = report.theirs;
  Cradle cradle;
  cradle.requests = std::move(request.ours);
  cradle.reports = std::move(report.ours);
  for (const int end : {cradle.requests.get(), cradle.reports.get(), reports_write.get()}) {
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  // Room for the reports of some hundred keepers while the daemon is busy; others wait.
  const int room = 1 << 20;
  if (::setsockopt(reports_write.get(), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room) != 0) {
    ::setsockopt(reports_write.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  }

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // A dup2 onto itself keeps the descriptor open across the exec.
  ::posix_spawn_file_actions_adddup2(&actions, requests_read.get(), requests_read.get());
  ::posix_spawn_file_actions_adddup2(&actions, reports_write.get(), reports_write.get());
  std::string arguments[] = {"drover-keeper",
                             std::to_string(requests_read.get()),
                             std::to_string(reports_write.get()),
                             runs,
                             controls,
                             std::to_string(descriptors_max),
                             cgroups,
                             std::to_string(reader_away_ms)};
  // A keeper of an earlier release takes no last argument: it is left out if it is the usual one.
  const size_t count = std::size(arguments) - (reader_away_ms == limits::kReaderAwayMs ? 1 : 0);
  char* argv[std::size(arguments) + 1] = {};
  for (size_t i = 0; i < count; ++i) argv[i] = arguments[i].data();
  const int error = ::posix_spawn(&cradle.pid, program.c_str(), &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail_errno("cannot start " + program, error);
  return cradle;
}

Request make_request(std::uint64_t tag, std::string_view directory) {
  Request request{.tag = tag, .directory = {}};
  assert(directory.size() < sizeof request.directory);
  std::ranges::copy(directory, request.directory);
  return request;
}

ReportRead read_report(int reports, Report& report) {
  std::array<char, sizeof(Report) + 1> packet;  // One more, to notice a packet that is too long.
  ssize_t n = 0;
  do {
    n = ::read(reports, packet.data(), packet.size());
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return ReportRead::none;
  const bool is_report = parse_report({packet.data(), static_cast<size_t>(n)}, report);
  return is_report ? ReportRead::valid : ReportRead::invalid;
}

}  // namespace drover::process
