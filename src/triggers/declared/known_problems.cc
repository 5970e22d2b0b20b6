#include "triggers/declared/known_problems.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "triggers/declared/limits.h"

namespace drover::triggers {

namespace json = boost::json;

KnownProblems::ByFile KnownProblems::unreported(const std::vector<Problem>& problems) const {
  ByFile now;
  for (const Problem& one : problems) now[one.file].push_back(one);
  for (const auto& [file, reported] : reported_) {
    const auto found = now.try_emplace(file).first;
    if (found->second == reported) now.erase(found);
  }
  return now;
}

store::Work report_work(const std::string& file, const std::vector<Problem>& problems) {
  json::object data{{"file", file}, {"problems", problems.size()}};
  json::array texts;
  for (const Problem& one : problems) {
    if (texts.size() < kProblemsShownMax) texts.emplace_back(one.text());
  }
  data["messages"] = std::move(texts);
  return [event = store::SubjectEvent{
              .subject = "trigger-file/" + file,
              .type = problems.empty() ? "trigger.file_accepted" : "trigger.file_refused",
              .data = json::serialize(data)}](store::Transaction& t) -> Result<> {
    return t.append(event);
  };
}

}  // namespace drover::triggers
