#include "process/cradle.h"

#include <fcntl.h>
#include <spawn.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

namespace drover::process {

Result<Cradle> Cradle::start(const std::string& program, const std::string& runs,
                             const std::string& controls, std::uint64_t descriptors_max,
                             const std::string& cgroups) {
  int request[2], report[2];
  if (::pipe2(request, O_CLOEXEC) != 0) return fail_errno("cannot create a pipe", errno);
  Fd requests_read(request[0]);
  Cradle cradle;
  cradle.requests = Fd(request[1]);
  if (::pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail_errno("cannot create a pipe", errno);
  cradle.reports = Fd(report[0]);
  Fd reports_write(report[1]);
  ::fcntl(cradle.requests.get(), F_SETFL, O_NONBLOCK);
  // Room for the reports of a few thousand keepers while the daemon is busy. Best effort.
  ::fcntl(reports_write.get(), F_SETPIPE_SZ, 1 << 20);

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
                             cgroups};
  char* argv[8] = {};
  for (size_t i = 0; i < 7; ++i) argv[i] = arguments[i].data();
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

bool ReportReader::next(Report& report) {
  const size_t left = buffer_.size() - at_;
  ReportHeader header;
  if (left >= sizeof header) std::memcpy(&header, buffer_.data() + at_, sizeof header);
  if (left < sizeof header || left < header.bytes) {
    buffer_.erase(0, at_);
    at_ = 0;
    return false;
  }
  assert(header.bytes >= sizeof header && header.bytes <= sizeof report);
  report = Report();
  std::memcpy(static_cast<void*>(&report), buffer_.data() + at_, header.bytes);
  at_ += header.bytes;
  return true;
}

}  // namespace drover::process
