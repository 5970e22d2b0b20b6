// drover parcel: the command of the room parcels.
#include "cli/context.h"
#include "cli/fields.h"
#include "tests/rooms/operations.h"
#include "tests/rooms/parcels.h"

namespace drover::parcels {
namespace {

Result<int> send_parcel(cli::Context& context, const cli::Arguments& arguments) {
  const auto answer = context.client.ask(send, {.segment = arguments.words[0]});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? cli::json_text(*answer) : cli::text_in(*answer, "run_id");
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const cli::Command kSendCommand{.name = "parcel send",
                                .words = "PARCEL",
                                .summary = "Send a parcel",
                                .help = "Send a parcel.",
                                .options = {},
                                .words_min = 1,
                                .words_max = 1,
                                .run = send_parcel};

}  // namespace drover::parcels
