#include "triggers/files/tree_watch.h"

#include <sys/inotify.h>

#include <algorithm>

namespace drover::triggers {
namespace {

constexpr size_t kScanPathsMax = 1'000;  // More new directories than this: scan the whole tree.

std::string joined(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

}  // namespace

TreeWatch::TreeWatch(TreeId id, FileSpec spec, Snapshot stored, std::shared_ptr<WatchTable> watches,
                     MonoMs now)
    : id_(id),
      filter_(std::make_shared<const FileFilter>(std::move(spec))),
      watches_(std::move(watches)),
      settle_({.quiet_ms = filter_->spec().settle_ms}) {
  const std::uint64_t print = fingerprint(filter_->spec());
  needs_baseline_ = stored.fingerprint() != print;
  if (!needs_baseline_) stored_ = std::move(stored);
  known_ = stored_.with_fingerprint(print);
  watch_retry_at_ = now;
  scan("");
}

void TreeWatch::on_event(const WatchPlace& place, const FileEvent& event, MonoMs now) {
  constexpr std::uint32_t kGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
  if (place.is_anchor) {
    if ((event.mask & kGone) != 0 || event.name == place.expected) scan("");
    return;
  }
  if (event.name.empty()) {
    if (!place.path.empty() || (event.mask & kGone) == 0) return;
    root_was_deleted_ = (event.mask & IN_UNMOUNT) == 0;
    watches_->remove(id_);
    scan("");
    return;
  }
  const std::string path = joined(place.path, event.name);
  const bool is_directory = (event.mask & IN_ISDIR) != 0;
  if (filter_->ignores_surely(path, is_directory)) return;
  if (is_directory) {
    on_directory(path, event, now);
  } else {
    on_file(path, place, event, now);
  }
}

void TreeWatch::on_directory(const std::string& path, const FileEvent& event, MonoMs now) {
  if (!filter_->may_match_below(path)) return;
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
    watches_->remove_below(id_, path);
    touch(path, event, now);
    return;
  }
  scan(path);
  if ((event.mask & IN_MOVED_TO) != 0) touch(path, event, now);
}

void TreeWatch::on_file(const std::string& path, const WatchPlace& place, const FileEvent& event,
                        MonoMs now) {
  if (event.name == ".gitignore" && filter_->spec().gitignore) scan(place.path);
  if (filter_->matches(path)) touch(path, event, now);
}

// The kernel reports the two halves of a move one after the other, with the same cookie.
void TreeWatch::touch(const std::string& path, const FileEvent& event, MonoMs now) {
  if ((event.mask & IN_MOVED_TO) != 0 && moved_from_ && moved_from_->cookie == event.cookie) {
    settle_.move(moved_from_->path, path, now);
  } else {
    settle_.touch(path, now);
  }
  moved_from_.reset();
  if ((event.mask & IN_MOVED_FROM) != 0) moved_from_ = {.cookie = event.cookie, .path = path};
}

void TreeWatch::on_lost_events(MonoMs now) {
  settle_.touch_everything(now);
  scan("");
}

void TreeWatch::on_root(const std::optional<RootId>& id) {
  if (id != root_id_) scan("");
}

void TreeWatch::scan(std::string path) {
  if (scan_.size() >= kScanPathsMax || path.empty()) {
    scan_ = {""};
  } else if (!scan_.contains("")) {
    scan_.insert(std::move(path));
  }
}

InspectionRequest TreeWatch::request(InspectionKind kind, MonoMs now) {
  // A polled tree tries inotify again with a walk through the whole of it.
  const bool whole =
      kind == InspectionKind::baseline || (kind == InspectionKind::scan && scan_.contains(""));
  is_watching_ = !is_polling() || (whole && now >= watch_retry_at_);
  is_running_ = true;
  running_ = kind;
  return {.kind = kind,
          .filter = filter_,
          .known = known_,
          .stored = stored_,
          .root_was_deleted = root_was_deleted_,
          .watches = is_watching_ ? watches_ : nullptr,
          .tree = id_,
          .walk = ++walk_};
}

std::optional<InspectionRequest> TreeWatch::next(MonoMs now) {
  if (is_running_ || (retry_at_ && now < *retry_at_)) return std::nullopt;
  retry_at_.reset();
  if (is_polling() && now >= poll_at_) scan("");
  if (needs_baseline_) {
    if (is_offered_) return std::nullopt;
    scan_.clear();
    return request(InspectionKind::baseline, now);
  }
  if (!scan_.empty()) {
    InspectionRequest out = request(InspectionKind::scan, now);
    out.scan.assign(scan_.begin(), scan_.end());
    scan_.clear();
    return out;
  }
  if (is_offered_) return std::nullopt;
  Settle::Due due = settle_.take(now);
  if (due.empty()) return std::nullopt;
  InspectionRequest out = request(InspectionKind::report, now);
  out.due = std::move(due);
  return out;
}

std::optional<ChangeBatch> TreeWatch::finish(Result<Inspection> result, MonoMs now,
                                             std::int64_t took_ms) {
  is_running_ = false;
  if (!result) {
    trouble_ = result.error().message;
    retry_at_ = now + kWalkRetryMs;
    on_lost_events(now);
    return std::nullopt;
  }
  trouble_ = result->warning;
  root_ = result->root;
  root_id_.reset();
  if (result->root != RootState::missing) root_id_ = result->root_id;
  if (result->root == RootState::present) root_was_deleted_ = false;
  if (is_watching_ || !result->needs_polling.empty()) needs_polling_ = result->needs_polling;
  if (is_watching_ && is_polling()) {
    watches_->remove(id_);
    watch_retry_at_ = now + kWatchRetryMs;
  }
  poll_at_ = now + std::max(kPollMs, took_ms * kPollCostFactor);
  known_ = std::move(result->known);
  if (result->is_too_different) settle_.touch_everything(now);
  for (const FileEdit& edit : result->differing) settle_.see(edit.path, edit.entry, now);
  if (running_ == InspectionKind::baseline) needs_baseline_ = false;
  if (running_ == InspectionKind::scan) return std::nullopt;
  if (running_ == InspectionKind::report && result->batch.count == 0) return std::nullopt;
  is_offered_ = true;
  stored_ = result->batch.after;
  return std::move(result->batch);
}

std::optional<MonoMs> TreeWatch::wake() const {
  if (is_running_) return std::nullopt;
  if (retry_at_) return retry_at_;
  if (needs_baseline_ && is_offered_) return std::nullopt;
  if (needs_baseline_ || !scan_.empty()) return 0;  // At once.
  std::optional<MonoMs> out;
  if (!is_offered_) out = settle_.wake();
  if (is_polling()) out = std::min(out.value_or(poll_at_), poll_at_);
  return out;
}

std::string TreeWatch::warning() const {
  if (!trouble_.empty()) return trouble_;
  if (root_ == RootState::missing) return root() + " does not exist; it is watched once it does";
  if (root_ == RootState::unmounted) {
    return "no file system is mounted on " + root() + "; its files are watched once it is";
  }
  if (is_polling()) {
    return root() + " is polled, which finds changes later: " + needs_polling_;
  }
  return {};
}

}  // namespace drover::triggers
