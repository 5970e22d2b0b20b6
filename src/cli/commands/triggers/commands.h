// The commands of the room triggers. Each is in the file of its second word, or of its group.
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <span>
#include <vector>

#include "cli/command.h"
#include "cli/explainer.h"

namespace drover::cli {

extern const Command kTriggerAdd;
extern const Command kTriggerEdit;
extern const Command kTriggerLs;
extern const Command kTriggerShow;
extern const Command kTriggerNext;
extern const Command kTriggerHistory;
extern const Command kTriggerPause;
extern const Command kTriggerResume;
extern const Command kTriggerTest;
extern const Command kTriggerFire;
extern const Command kTriggerRm;
extern const Command kTriggerValidate;
extern const Command kEmit;

// All triggers, and the problems of the files that declare triggers: {"triggers", "problems"}.
Result<boost::json::object> all_triggers(Context& context);

// For `drover doctor`: these problems, and the warnings of the triggers.
std::vector<Finding> check_declared_triggers(Context& context, bool daemon_runs);

// In the order of the help page.
std::span<const Command* const> trigger_commands();

// Answers `drover why TRIGGER`.
std::span<const Explainer> trigger_explainers();

// Completes TRIGGER with the names of the triggers.
void offer_triggers(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out);
inline constexpr auto kOffersTriggers = std::to_array<Offer>({{"TRIGGER", offer_triggers}});

}  // namespace drover::cli
