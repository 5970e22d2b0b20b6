// The list of commands: what `drover` can do. Each stands in the file of its name.
#pragma once

#include <span>

#include "cli/command.h"

namespace drover::cli {

extern const Command kRun;
extern const Command kPs;
extern const Command kTop;
extern const Command kShow;
extern const Command kLogs;
extern const Command kAttach;
extern const Command kWait;
extern const Command kCancel;
extern const Command kRm;
extern const Command kSend;
extern const Command kSignal;
extern const Command kLaneLs;
extern const Command kLaneSet;
extern const Command kLanePause;
extern const Command kLaneResume;
extern const Command kLaneDrain;
extern const Command kLaneRm;
extern const Command kLaneMove;
extern const Command kPriority;
extern const Command kRetry;
extern const Command kWhy;
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
extern const Command kEvents;
extern const Command kUi;
extern const Command kTokenCreate;
extern const Command kTokenLs;
extern const Command kTokenRevoke;
extern const Command kServe;
extern const Command kStatus;
extern const Command kStop;
extern const Command kDoctor;
extern const Command kVersion;
extern const Command kExport;
extern const Command kConfigShow;
extern const Command kConfigGet;
extern const Command kConfigSet;
extern const Command kConfigUnset;
extern const Command kConfigPath;
extern const Command kServiceInstall;
extern const Command kServiceRemove;
extern const Command kServiceStatus;
extern const Command kCompletion;
extern const Command kComplete;
extern const Command kManual;

// In the order of the help page.
std::span<const Command* const> all_commands();

}  // namespace drover::cli
