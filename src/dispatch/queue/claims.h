// Claims gives the slots of lanes to waiting runs, and changes the lanes themselves (R16). `Lanes`
// decides which run is next; the store decides whether a claim is valid. Lives on the daemon's
// loop.
#pragma once

#include "dispatch/host.h"
#include "dispatch/lane_control.h"
#include "dispatch/queue/lanes.h"

namespace drover::dispatch {

class Claims final : public LaneControl {
 public:
  // `host` must outlive it.
  explicit Claims(const Host& host) : host_(host) {}

  // Loads the lanes from the store, before recovery. No slot is given before `open` or after
  // `close`.
  Result<> load(store::Reads& store);
  void open();
  void close() { closed_ = true; }

  // Takes a record as committed, or as found at startup.
  void see(const run::Record& record) { lanes_.see(record); }
  // Takes events about lanes. Returns whether this was one.
  bool see(const run::Event& event);
  // Claims every waiting run for which a slot is free.
  void claim_next();

  asio::awaitable<Result<store::Lane>> set(store::LaneSet wish) override;
  asio::awaitable<Result<>> remove(std::string lane) override;
  asio::awaitable<Result<run::Record>> move(run::Moved wish) override;
  std::optional<size_t> ahead_of(const run::Record& record) const override {
    return lanes_.ahead_of(record);
  }
  size_t active() const override { return lanes_.active(); }
  size_t queued() const override { return lanes_.queued(); }
  std::vector<LaneNumbers> numbers() const override { return lanes_.numbers(); }

 private:
  void take_on(const store::Lane& lane);
  asio::awaitable<void> look_at(RunId id);
  asio::awaitable<void> claim_later();

  const Host& host_;
  Lanes lanes_;
  bool open_ = false;
  bool closed_ = false;
};

}  // namespace drover::dispatch
