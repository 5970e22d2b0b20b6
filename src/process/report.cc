#include "process/report.h"

namespace drover::process {
namespace {

// The size of a whole report of that kind; 0: there is no such kind.
size_t size_of(ReportKind kind) {
  constexpr size_t kHeader = sizeof(ReportHeader);
  switch (kind) {
    case ReportKind::started:
      return kHeader + sizeof(StartedRecord);
    case ReportKind::ended:
      return kHeader + sizeof(EndedReport);
    case ReportKind::refused:
      return kHeader + sizeof(LaunchFailure);
    case ReportKind::grown:
      return kHeader + sizeof(GrowthReport);
    case ReportKind::occupied:
    case ReportKind::lost:
      return kHeader;
  }
  return 0;
}

}  // namespace

bool parse_report(std::string_view bytes, Report& report) {
  report = Report();
  ReportHeader header;
  if (bytes.size() < sizeof header || bytes.size() > sizeof report) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.bytes != bytes.size() || size_of(header.kind) != bytes.size()) return false;
  std::memcpy(static_cast<void*>(&report), bytes.data(), bytes.size());
  return true;
}

}  // namespace drover::process
