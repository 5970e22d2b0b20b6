// `drover` alone, the pages of --help, and the topics.
#include "cli/commands/overview.h"
#include "cli/every_command.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"
#include "cli/help/help.h"
#include "cli/help/topics.h"

namespace drover::cli::golden {

std::vector<GoldenScreen> help_screens() {
  const auto overview = [](std::optional<boost::json::array> runs) {
    return [runs = std::move(runs)](const Screen& screen) {
      return overview_page(runs, screen, kNow);
    };
  };
  const auto help = [](const Command& command) {
    return [&command](const Screen& screen) {
      return help_page(command, every_command(), screen.text_width());
    };
  };
  std::vector<GoldenScreen> out{
      {"overview", overview(few_runs())},
      {"overview-many", overview(nasty_runs())},
      {"overview-idle", overview(boost::json::array{})},
      {"overview-no-daemon", overview(std::nullopt)},
      {"help", [](const Screen& s) { return help_page(every_command(), s.text_width()); }},
      {"help-run", help(kRun)},
      {"help-ps", help(kPs)},
      {"help-play", help(kPlay)},
      {"help-serve", help(kServe)},
      {"help-lane",
       [](const Screen& s) { return noun_page("lane", every_command(), s.text_width()); }},
  };
  for (const Topic& topic : topics()) {
    out.push_back({"help-" + std::string(topic.name),
                   [&topic](const Screen& s) { return topic_page(topic, s.text_width()); }});
  }
  return out;
}

}  // namespace drover::cli::golden
