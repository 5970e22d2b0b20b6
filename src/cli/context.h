// Context has everything that a command uses: the client, the screen and the global options. It
// lives as long as the program; only one thread uses it.
#pragma once

#include <span>

#include "base/home.h"
#include "cli/client/client.h"
#include "cli/command.h"
#include "cli/explainer.h"
#include "cli/run_section.h"
#include "cli/terminal/screen.h"
#include "cli/views/phase_view.h"
#include "config/settings.h"

namespace drover::cli {

struct Context {
  Home home;
  Screen& screen;
  Client client;
  bool json = false;      // Data as JSON on standard output; notices stay on standard error.
  bool no_start = false;  // --no-start.
  // Only commands that use the settings report an error in them: an invalid file must not prevent
  // `stop`.
  Result<config::Settings> settings = {};
  std::span<const Command* const> commands = {};  // All commands.
  std::span<const PhaseView> phases = {};         // Of all rooms.
  std::span<const Explainer> explainers = {};     // Of all rooms.
  std::span<const RunSection> sections = {};      // Of all rooms.
};

}  // namespace drover::cli
