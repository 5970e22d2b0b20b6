// The commands of the inbox. Each is in the file of its first word.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cli/command.h"
#include "cli/run_section.h"

namespace drover::cli {

extern const Command kAsk;
extern const Command kReport;
extern const Command kInbox;
extern const Command kInboxShow;
extern const Command kInboxDismiss;
extern const Command kAnswer;
extern const Command kMemoryLs;
extern const Command kMemoryShow;
extern const Command kMemoryWrite;
extern const Command kMemoryLog;

// In the order of the help page.
std::span<const Command* const> inbox_commands();

// The sections that they add to `show` and `why`.
std::span<const RunSection> inbox_sections();

// Completes ENTRY with the open questions.
void offer_entries(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out);
inline constexpr auto kOffersEntries = std::to_array<Offer>({{"ENTRY", offer_entries}});

}  // namespace drover::cli
