// drover bell: the command of the room bells.
#include "cli/context.h"
#include "cli/fields.h"
#include "tests/rooms/bells.h"
#include "tests/rooms/operations.h"

namespace drover::bells {
namespace {

Result<int> ring_bell(cli::Context& context, const cli::Arguments& arguments) {
  const auto answer = context.client.ask(ring, {.segment = arguments.words[0]});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? cli::json_text(*answer) : cli::text_in(*answer, "run_id");
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const cli::Command kRingCommand{.name = "bell ring",
                                .words = "BELL",
                                .summary = "Ring a bell",
                                .help = "Ring a bell.",
                                .options = {},
                                .words_min = 1,
                                .words_max = 1,
                                .run = ring_bell};

}  // namespace drover::bells
