// A TreeWatch decides what happens next with one watched tree: which part of it to inspect, when,
// and which changes to report. The owner (file_watches.h) passes it events and results of
// inspections, runs the inspections it asks for, and wakes it.
//
//   event ──> settle ──(quiet)──> inspection: report ──> batch ──> accepted
//     └─(new directory, lost events, root)──> inspection: scan ──> settle
//
// One inspection at a time, and one batch: until it is accepted, changes gather.
// A tree without inotify (no watch left, network file system) is scanned at an interval.
//
// Lives on the loop. Decides only: no system call except removing watches; the caller gives the
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "triggers/files/event_reader.h"
#include "triggers/files/file_spec.h"
#include "triggers/files/inspection.h"
#include "triggers/files/settle.h"
#include "triggers/files/watch_table.h"

namespace drover::triggers {

class TreeWatch {
 public:
  // `spec` is valid. `stored`: the snapshot that the trigger stored last; one of another spec, such
  // as an empty one, means that this tree is seen for the first time.
  TreeWatch(TreeId id, FileSpec spec, Snapshot stored, std::shared_ptr<WatchTable> watches,
            MonoMs now);

  void on_event(const WatchPlace& place, const FileEvent& event, MonoMs now);
  void on_lost_events(MonoMs now);
  // The identity of the root now; after mounts changed.
  void on_root(const std::optional<RootId>& id);

  // The next inspection, if it is time and none is running. The caller runs it and calls `finish`.
  std::optional<InspectionRequest> next(MonoMs now);
  // A batch to report, if the inspection made one. `took_ms` is how long the inspection took.
  std::optional<ChangeBatch> finish(Result<Inspection> result, MonoMs now, std::int64_t took_ms);
  // The last batch is stored: the next one may follow.
  void accept() { is_offered_ = false; }

  // When `next` may have something to do; nothing: after an event, `finish` or `accept`.
  std::optional<MonoMs> wake() const;

  TreeId id() const { return id_; }
  const std::string& root() const { return filter_->spec().root; }
  bool is_polling() const { return !needs_polling_.empty(); }
  size_t files() const { return known_.size(); }
  // For status: why the tree is polled, cannot be read, or is missing. Empty: all is well.
  std::string warning() const;

 private:
  void on_directory(const std::string& path, const FileEvent& event, MonoMs now);
  void on_file(const std::string& path, const WatchPlace& place, const FileEvent& event,
               MonoMs now);
  void touch(const std::string& path, const FileEvent& event, MonoMs now);
  void scan(std::string path);
  InspectionRequest request(InspectionKind kind, MonoMs now);

  TreeId id_;
  std::shared_ptr<const FileFilter> filter_;
  std::shared_ptr<WatchTable> watches_;
  Settle settle_;
  Snapshot known_;
  Snapshot stored_;
  bool needs_baseline_;
  bool is_running_ = false;
  bool is_watching_ = false;  // The running inspection adds watches.
  bool is_offered_ = false;
  InspectionKind running_ = InspectionKind::scan;
  std::uint64_t walk_ = 0;
  std::set<std::string> scan_;
  struct MovedFrom {
    std::uint32_t cookie = 0;
    std::string path;
  };
  std::optional<MovedFrom> moved_from_;
  bool root_was_deleted_ = false;
  RootState root_ = RootState::present;
  std::optional<RootId> root_id_;
  std::string needs_polling_;
  MonoMs poll_at_ = 0;         // Of a polled tree.
  MonoMs watch_retry_at_ = 0;  // Of a polled tree.
  std::optional<MonoMs> retry_at_;
  std::string trouble_;
};

}  // namespace drover::triggers
