// A Handle is what a run's id resolves to for ever (H2): its status as its events tell it, and
// nothing but its events. No record, no directory and no process is needed, so it is the same for a
// run that goes on, one that settled long ago, and one whose record was deleted or pruned (H4).
// Pure: events in, an answer out.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "run/event.h"

namespace drover::run {

class Handle {
 public:
  // The run's events, in order. Those that are not terminal may be missing from the history of a
  // deleted run (compaction): its terminal event says the same.
  void see(const Event& event);

  bool known() const { return !trace_id_.empty(); }
  bool ended() const { return end_.has_value(); }
  const std::string& scope() const { return scope_; }

  // active, completed, failed, cancelled or abandoned. What timed out has failed.
  std::string_view status() const;

  // {"object":"run_status","run_id","trace_id","status","source","acknowledged_at","started_at",
  //  "completed_at","terminal_reason","failure"}
  // `scope_owners`: of a scope that begins with one of these, the rest names who launched the run.
  boost::json::object describe(std::span<const std::string_view> scope_owners) const;

 private:
  boost::json::object source(std::span<const std::string_view> scope_owners) const;

  std::string run_id_;
  std::string trace_id_;
  std::string scope_;
  std::string parent_;
  WallMs acknowledged_at_ = 0;
  WallMs started_at_ = 0;
  std::string end_type_;
  WallMs ended_at_ = 0;
  std::optional<boost::json::object> end_;  // What the terminal event carries.
};

}  // namespace drover::run
