// Claims give the slots of lanes to the runs that wait for them, and change the lanes themselves
// (R16). Who is next is up to `Lanes`; whether a claim holds is decided by the store. Lives on the
// daemon's loop.
#pragma once

#include "dispatch/host.h"
#include "dispatch/lane_control.h"
#include "dispatch/lanes.h"

namespace drover::dispatch {

class Claims final : public LaneControl {
 public:
  // `host` must outlive it.
  explicit Claims(const Host& host) : host_(host) {}

  // Takes on the lanes as they are stored. No slot is given away before `open` or after `close`.
  Result<> load();
  void open();
  void close() { closed_ = true; }

  // A record as it was committed, or as it was found at the start.
  void see(const run::Record& record) { lanes_.see(record); }
  // What the log tells of lanes. Whether it was about one.
  bool see(const run::Event& event);
  // Claims every waiting run that has a free slot.
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
  asio::awaitable<void> claim_later();

  const Host& host_;
  Lanes lanes_;
  bool open_ = false;
  bool closed_ = false;
};

}  // namespace drover::dispatch
