#include "process/report.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::process {
namespace {

std::string bytes_of(ReportKind kind, size_t payload) {
  Report report;
  report.header = {
      .bytes = static_cast<std::uint32_t>(sizeof(ReportHeader) + payload), .kind = kind, .tag = 7};
  report.grown = {.bytes = 100, .lines = 3};
  std::string bytes(reinterpret_cast<const char*>(&report), sizeof report);
  bytes.resize(report.header.bytes, 'x');
  return bytes;
}

// R7: a packet is a report only if it has exactly the size of its kind, and says so.
TEST(Reports, AreCheckedByKindAndSize) {
  Report report;
  ASSERT_TRUE(parse_report(bytes_of(ReportKind::grown, sizeof(GrowthReport)), report));
  EXPECT_EQ(report.header.tag, 7U);
  EXPECT_EQ(report.grown.lines, 3U);
  EXPECT_TRUE(parse_report(bytes_of(ReportKind::lost, 0), report));
  EXPECT_TRUE(parse_report(bytes_of(ReportKind::ended, sizeof(EndedReport)), report));
  for (const size_t wrong : {size_t{0}, sizeof(GrowthReport) - 1, sizeof(GrowthReport) + 1}) {
    EXPECT_FALSE(parse_report(bytes_of(ReportKind::grown, wrong), report)) << wrong;
  }
  EXPECT_FALSE(parse_report(bytes_of(static_cast<ReportKind>(0), 0), report));
  EXPECT_FALSE(parse_report(bytes_of(static_cast<ReportKind>(63), 8), report));
}

// Of a packet that is too long or too short, nothing is used.
TEST(Reports, AreWholePackets) {
  Report report;
  const std::string whole = bytes_of(ReportKind::ended, sizeof(EndedReport));
  EXPECT_FALSE(parse_report(whole + "x", report));
  EXPECT_FALSE(parse_report(whole.substr(0, whole.size() - 1), report));
  EXPECT_FALSE(parse_report(whole.substr(0, 8), report));
  EXPECT_FALSE(parse_report("", report));
  EXPECT_EQ(report.header.bytes, 0U);
}

}  // namespace
}  // namespace drover::process
