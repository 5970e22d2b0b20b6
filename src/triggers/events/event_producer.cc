#include "triggers/events/event_producer.h"

namespace drover::triggers {

std::string_view event_type_of(const Source& source) {
  if (std::holds_alternative<WebhookSource>(source)) return "webhook.received";
  if (std::holds_alternative<FileSpec>(source)) return "file.changed";
  const auto* poll = std::get_if<PollSource>(&source);
  if (poll == nullptr) return {};
  return poll->is_page() ? "page.changed" : "feed.item";
}

std::string producer_of(const Source& source, std::string_view trigger) {
  if (const auto* hook = std::get_if<WebhookSource>(&source)) return "hook/" + hook->path;
  if (event_type_of(source).empty()) return {};
  return std::string(source_type(source)).append("/").append(trigger);
}

}  // namespace drover::triggers
