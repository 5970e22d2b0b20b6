// The StreamQuota counts the open streams of each caller other than the owner, and refuses one too
// many: every event costs work in every stream that follows it. A caller is a token, or all runs
// that are beneath one run (access/quota.h). Lives on the daemon's loop; each stream keeps it
// alive.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "access/grant.h"
#include "api/http/response.h"

namespace drover::api {

class StreamQuota : public std::enable_shared_from_this<StreamQuota> {
 public:
  // Returns the stream, which counts until it is destroyed; or `quota_exceeded`.
  Result<std::unique_ptr<BodyStream>> admit(const access::Grant& grant,
                                            std::unique_ptr<BodyStream> stream);

 private:
  class Counted;
  std::map<std::string, size_t> open_;
};

}  // namespace drover::api
