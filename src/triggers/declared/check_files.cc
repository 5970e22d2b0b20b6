#include "triggers/declared/check_files.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "triggers/declared/declared_file.h"
#include "triggers/declared/sync_plan.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

DeclaredFile load(const std::string& path) {
  DeclaredFile file = load_declared(file_at(path));
  if (file.problems.empty() && ::access(path.c_str(), F_OK) != 0) {
    file.problems.push_back({.file = path, .message = "there is no such file"});
  }
  return file;
}

}  // namespace

Result<json::object> check_files(std::string_view paths) {
  boost::system::error_code bad;
  const json::value list = json::parse(paths, bad);
  const auto refused = fail_invalid("--check-triggers", "give a JSON list of absolute paths");
  if (bad || !list.is_array()) return refused;
  std::vector<DeclaredFile> files;
  for (const json::value& path : list.get_array()) {
    if (!path.is_string() || !path.get_string().starts_with('/')) return refused;
    files.push_back(load(std::string(path.get_string())));
  }
  // With no trigger stored, the rest of the problems are names that several files declare. A time
  // that has passed is right for a trigger that has fired.
  const SyncPlan plan = plan_sync(files, {}, 0);
  json::array out;
  for (const DeclaredFile& file : files) {
    json::array problems;
    for (const Problem& one : plan.problems) {
      if (one.file == file.file.path) problems.push_back(one.as_json());
    }
    out.push_back({{"file", file.file.path},
                   {"triggers", file.triggers.size()},
                   {"problems", std::move(problems)}});
  }
  return json::object{{"files", std::move(out)}};
}

}  // namespace drover::triggers
