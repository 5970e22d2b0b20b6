// A PermanentStatus is the status that a run's handle resolves to forever, computed from the run's
// events alone (H2). It needs no record, directory or process, so it is the same for an active run,
// for one that finished long ago, and for one whose record was deleted or pruned (H4). Pure.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "run/event.h"

namespace drover::run {

class PermanentStatus {
 public:
  // Takes the run's events in order. If the run was deleted, compaction may have removed all but
  // its last event, which says the same.
  void see(const Event& event);

  bool known() const { return !run_id_.empty(); }
  bool ended() const { return end_.has_value(); }
  const std::string& scope() const { return scope_; }
  const std::string& kind() const { return kind_; }

  // `active`, `completed`, `failed`, `cancelled` or `abandoned`. A run that timed out counts as
  // failed.
  std::string_view status() const;

  // {"object":"run_status","run_id","trace_id","status","source","acknowledged_at","started_at",
  //  "launched_at","completed_at","terminal_reason","failure"}
  // `launchers`: if the first part of the scope is one of these, the second part names the
  // launcher. Every other run was launched by a command.
  boost::json::object describe(std::span<const std::string_view> launchers) const;

 private:
  boost::json::object source(std::span<const std::string_view> launchers) const;

  std::string run_id_;
  std::string trace_id_;
  std::string scope_;
  std::string kind_;
  std::string parent_;
  WallMs acknowledged_at_ = 0;
  WallMs launched_at_ = 0;
  std::string end_type_;
  WallMs ended_at_ = 0;
  std::optional<boost::json::object> end_;  // The data of the run's last event.
};

}  // namespace drover::run
