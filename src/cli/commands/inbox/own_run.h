// The run that this process belongs to, for commands that speak for it, and how its messages reach
// the inbox: over the API or, if no daemon answers, through the spool (base/spool.h).
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "cli/context.h"
#include "wire/operation.h"

namespace drover::cli {

// `not_in_a_run`: DROVER_RUN_ID is not set, so there is no run to speak for. `doing` is for the
// message: "ask".
Result<std::string> own_run(std::string_view doing);

// Whether no daemon answered, so that the message may go to the spool.
bool is_away(const Error& error);

struct Message {
  const wire::Operation* operation;
  std::string run;
  boost::json::object body;
  std::string key;
};
// A new idempotency key, which is also a name in the spool.
std::string new_message_key();

// The daemon's answer. Not set: the message is in the spool.
Result<std::optional<boost::json::object>> send_or_spool(Context& context, const Message& message);

}  // namespace drover::cli
