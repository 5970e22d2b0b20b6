// The SpoolReader adds to the inbox what runs left in the spool while no daemon answered
// (base/spool.h): when the daemon starts, and whenever a file appears. Each file is one commit, and
// is removed afterwards; after a crash in between, its key says that it was added.
//
// A file that is refused (its run was deleted, for example) is logged and removed.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/clock.h"
#include "base/home.h"
#include "base/spool.h"
#include "inbox/inbox.h"

namespace drover::inbox {

class SpoolReader {
 public:
  SpoolReader(asio::any_io_executor loop, const Home& home, const Clock& clock, Inbox& inbox);
  ~SpoolReader();

  void begin();

  // Reads a file of the spool. Its time is not later than `now`, and not before the run was
  // submitted.
  static Result<Entry> read_message(const SpoolName& name, std::string_view contents, WallMs now);

 private:
  struct Shared;  // Outlives this object while a commit is awaited.

  // Wakes keep_reading when a file appears.
  asio::awaitable<void> keep_watching(std::shared_ptr<Shared> shared);
  asio::awaitable<void> keep_reading(std::shared_ptr<Shared> shared);
  // False: try again later.
  asio::awaitable<bool> take_all(std::shared_ptr<Shared> shared);
  asio::awaitable<bool> take(SpoolName name);

  const asio::any_io_executor loop_;
  const Home& home_;
  const Clock& clock_;
  Inbox& inbox_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::inbox
