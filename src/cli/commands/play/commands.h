// The commands of the room play. Each is in the file of its first word.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cli/command.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

extern const Command kInit;
extern const Command kPlay;
extern const Command kPlayStop;
extern const Command kPlayStatus;
extern const Command kPlayLog;
extern const Command kPlayFeed;
extern const Command kProjectAdd;
extern const Command kProjectLs;
extern const Command kProjectShow;
extern const Command kProjectRm;
extern const Command kProjectManifest;

// In the order of the help page.
std::span<const Command* const> play_commands();

// How `show` and `why` display a play session.
std::span<const PhaseView> play_phases();

// Completes PROJECT with the projects that the daemon knows.
void offer_projects(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out);
inline constexpr auto kOffersProjects = std::to_array<Offer>({{"PROJECT", offer_projects}});

}  // namespace drover::cli
