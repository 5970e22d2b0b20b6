#include "store/transaction.h"

namespace drover::store {

const std::string& Value::text() const {
  static const std::string kNone;
  const auto* text = std::get_if<std::string>(&value_);
  return text == nullptr ? kNone : *text;
}

std::int64_t Value::integer() const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  return number == nullptr ? 0 : *number;
}

}  // namespace drover::store
