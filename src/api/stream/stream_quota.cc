#include "api/stream/stream_quota.h"

#include "access/quota.h"
#include "base/limits.h"

namespace drover::api {

class StreamQuota::Counted final : public BodyStream {
 public:
  Counted(std::shared_ptr<StreamQuota> quota, std::string caller,
          std::unique_ptr<BodyStream> stream)
      : quota_(std::move(quota)), caller_(std::move(caller)), stream_(std::move(stream)) {
    ++quota_->open_[caller_];
  }
  ~Counted() override {
    const auto mine = quota_->open_.find(caller_);
    if (--mine->second == 0) quota_->open_.erase(mine);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  asio::awaitable<void> run(Sink& sink) override { return stream_->run(sink); }

 private:
  std::shared_ptr<StreamQuota> quota_;
  std::string caller_;
  std::unique_ptr<BodyStream> stream_;
};

Result<std::unique_ptr<BodyStream>> StreamQuota::admit(const access::Grant& grant,
                                                       std::unique_ptr<BodyStream> stream) {
  if (grant.is_owner) return stream;
  std::string caller = access::share_of(grant);
  const auto known = open_.find(caller);
  if (known != open_.end() && known->second >= limits::kQuotaStreamsMax) {
    return access::quota_exceeded("streams",
                                  "this token has " + std::to_string(known->second) +
                                      " open streams, the most that it may have; close some");
  }
  return std::make_unique<Counted>(shared_from_this(), std::move(caller), std::move(stream));
}

}  // namespace drover::api
