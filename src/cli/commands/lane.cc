// drover lane: the queues, and how many runs of each go at once.
#include <boost/json/serialize.hpp>
#include <charconv>

#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/table.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> list(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::Op::lanes_list, {});
  if (!answer) return std::unexpected(answer.error());
  Table table({"LANE", "LIMIT", "ACTIVE", "QUEUED"}, 0);
  for (const boost::json::value& value : array_in(*answer, "lanes")) {
    if (!value.is_object()) continue;
    const object& lane = value.get_object();
    const auto number = [&](std::string_view key) {
      return std::to_string(number_in(lane, key).value_or(0));
    };
    table.add({{text_in(lane, "name"), Color::bold},
               {number("limit")},
               {number("active")},
               {number("queued")}});
  }
  const std::string text =
      context.json ? boost::json::serialize(*answer) + "\n" : table.text(context.screen);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> set(Context& context, const Arguments& arguments) {
  const std::string& text = arguments.words[1];
  std::int64_t limit = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (bad != std::errc{} || end != text.data() + text.size()) {
    return fail_invalid("limit", "a lane's limit is a whole number, not " + text);
  }
  const Call call{.segment = arguments.words[0],
                  .body = boost::json::serialize(object{{"limit", limit}})};
  const Result<object> answer = context.client.ask(wire::Op::lanes_set, call);
  if (!answer) return std::unexpected(answer.error());
  if (!context.json) return 0;
  if (auto ok = context.screen.print(boost::json::serialize(*answer) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

}  // namespace

const Command kLaneLs{
    .name = "lane ls",
    .words = {},
    .help = "List the lanes.",
    .options = {},
    .run = list,
};

const Command kLaneSet{
    .name = "lane set",
    .words = "LANE LIMIT",
    .help = "Set how many runs of a lane go at once.",
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .run = set,
};

}  // namespace drover::cli
