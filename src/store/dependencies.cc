#include "store/dependencies.h"

#include <boost/json/parse.hpp>

namespace drover::store {

Standing standing_of(const run::Event& terminal) {
  Standing standing{.known = true, .state = run::State::abandoned};  // Unknown is never success.
  boost::system::error_code bad;
  const boost::json::value data = boost::json::parse(terminal.data, bad);
  if (bad || !data.is_object()) return standing;
  const auto text = [&](const char* key) {
    const boost::json::value* found = data.get_object().if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string())
                                                  : std::string();
  };
  standing.state = run::state_named(text("state")).value_or(run::State::abandoned);
  standing.retried_by = text("retried_by");
  return standing;
}

}  // namespace drover::store
