// The commands that belong to no room, and the list of all commands. Each command is in the file of
// its name.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

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
extern const Command kEvents;
extern const Command kProgress;
extern const Command kUi;
extern const Command kTokenCreate;
extern const Command kTokenLs;
extern const Command kTokenRevoke;
extern const Command kServe;
extern const Command kStatus;
extern const Command kStop;
extern const Command kDoctor;
extern const Command kFollowerLs;
extern const Command kFollowerResume;
extern const Command kFollowerSkip;
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

// All commands of a `drover` with these rooms, in the order of the help page: runs and lanes, the
// rooms, then the daemon and the program itself.
std::vector<const Command*> commands_with(
    std::initializer_list<std::span<const Command* const>> rooms);

}  // namespace drover::cli
