#include "doctor/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>

#include "base/text.h"
#include "doctor/spine_checks.h"
#include "doctor/world_checks.h"

namespace drover::doctor {

bool Report::clean() const {
  return std::ranges::all_of(checks, [](const Check& c) { return c.problem_count == 0; });
}

Result<Report> verify(const Home& home, std::span<const SqlCheckSet> room_checks) {
  if (::access(home.database().c_str(), F_OK) != 0 && errno == ENOENT) {
    return fail(ErrorCode::not_found, "no_database",
                "there is nothing to verify yet: " + home.database() + " does not exist");
  }
  auto database = store::sqlite::Database::open(home.database(),
                                                {.read_only = true, .keep_wal = true, .vfs = {}});
  if (!database) return std::unexpected(database.error());
  auto checks = check_spine(*database, room_checks);
  if (!checks) return std::unexpected(checks.error());
  auto world = check_world(*database, home);
  if (!world) return std::unexpected(world.error());
  std::ranges::move(*world, std::back_inserter(*checks));
  return Report{std::move(*checks)};
}

std::string as_text(const Report& report) {
  std::string out;
  for (const Check& check : report.checks) {
    out += fmt::format("{} {} ({} checked)\n", check.problem_count == 0 ? "ok " : "BAD",
                       check.promise, check.looked_at);
    for (const std::string& problem : check.problems) out += "      " + problem + "\n";
    const auto unsaid = check.problem_count - static_cast<std::int64_t>(check.problems.size());
    if (unsaid > 0) out += fmt::format("      and {} more\n", unsaid);
  }
  return out + (report.clean() ? "clean\n" : "not clean\n");
}

std::string as_json(const Report& report) {
  boost::json::array checks;
  for (const Check& check : report.checks) {
    checks.push_back(boost::json::object{
        {"promise", check.promise},
        {"looked_at", check.looked_at},
        {"problem_count", check.problem_count},
        {"problems", boost::json::array(check.problems.begin(), check.problems.end())}});
  }
  // A problem may quote the name of a process.
  return escape_controls(boost::json::serialize(
      boost::json::object{{"clean", report.clean()}, {"checks", std::move(checks)}}));
}

}  // namespace drover::doctor
