// A TreeWatch on a real tree, with real events. Inspections run in the test; the time is the
// test's.
#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "triggers/files/event_reader.h"
#include "triggers/files/snapshot_codec.h"
#include "triggers/files/tree_fixture.h"
#include "triggers/files/tree_watch.h"

namespace drover::triggers {

class TreeWatchTest : public ::testing::Test {
 protected:
  void open(size_t watches_max = 1'000) {
    table_ = std::make_shared<WatchTable>(watches_max);
    watch_.emplace(1, spec_, stored_, table_, now_);
  }
  // Runs the inspections that are due until there are none; collects and accepts the batches.
  void run() {
    while (watch_->wake() && *watch_->wake() <= now_) {
      const auto request = watch_->next(now_);
      ASSERT_TRUE(request);  // A wake is never for nothing.
      auto batch =
          watch_->finish(inspect(*request, work::Turn({}, std::chrono::seconds(20))), now_, 1);
      if (!batch) continue;
      for (const SnapshotPart& part : batch->parts) parts_[part.index] = part.bytes;
      batches_.push_back(std::move(*batch));
      if (accepts_) watch_->accept();
    }
  }
  // Passes the kernel's events on.
  void read_events() {
    reader_.read(table_->fd(), [this](const FileEvent& event) {
      for (const WatchPlace& place : table_->places(event.watch)) {
        watch_->on_event(place, event, now_);
      }
      if ((event.mask & IN_IGNORED) != 0) table_->forget(event.watch);
    });
  }
  // Lets events arrive and the quiet time pass.
  void settle() {
    read_events();
    run();
    read_events();
    now_ += 500;
    run();
  }
  // "created a, moved a b": the changes of all batches since the last call.
  std::string reported() {
    std::string out;
    for (const ChangeBatch& batch : std::exchange(batches_, {})) {
      for (const FileChange& change : batch.changes) {
        out += (out.empty() ? "" : ", ") + std::string(name_of(change.kind)) + " " +
               (change.from.empty() ? "" : change.from + " ") + change.path;
      }
      if (batch.coalesced) out += " (" + std::to_string(batch.count) + " in all)";
    }
    return out;
  }
  Snapshot decoded() const {
    std::vector<std::string_view> records;
    for (const auto& [index, bytes] : parts_) records.push_back(bytes);
    return decode_parts(records).value();
  }

  TestTree tree_;
  FileSpec spec_{.root = tree_.root()};
  Snapshot stored_;
  MonoMs now_ = 1'000'000;
  std::shared_ptr<WatchTable> table_;
  std::optional<TreeWatch> watch_;
  std::vector<ChangeBatch> batches_;
  std::map<size_t, std::string> parts_;  // As the trigger stores them.
  bool accepts_ = true;
  EventReader reader_;
};

}  // namespace drover::triggers
