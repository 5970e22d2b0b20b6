#include "cli/commands/commands.h"

#include <array>

namespace drover::cli {

std::span<const Command* const> all_commands() {
  static constexpr auto kAll = std::to_array<const Command*>({&kRun,
                                                              &kPs,
                                                              &kTop,
                                                              &kShow,
                                                              &kWhy,
                                                              &kLogs,
                                                              &kAttach,
                                                              &kWait,
                                                              &kCancel,
                                                              &kRetry,
                                                              &kRm,
                                                              &kSend,
                                                              &kSignal,
                                                              &kPriority,
                                                              &kLaneLs,
                                                              &kLaneSet,
                                                              &kLanePause,
                                                              &kLaneResume,
                                                              &kLaneDrain,
                                                              &kLaneRm,
                                                              &kLaneMove,
                                                              &kInit,
                                                              &kProjectManifest,
                                                              &kEvents,
                                                              &kExport,
                                                              &kUi,
                                                              &kTokenCreate,
                                                              &kTokenLs,
                                                              &kTokenRevoke,
                                                              &kServe,
                                                              &kStatus,
                                                              &kStop,
                                                              &kDoctor,
                                                              &kConfigShow,
                                                              &kConfigGet,
                                                              &kConfigSet,
                                                              &kConfigUnset,
                                                              &kConfigPath,
                                                              &kServiceInstall,
                                                              &kServiceRemove,
                                                              &kServiceStatus,
                                                              &kCompletion,
                                                              &kVersion,
                                                              &kComplete,
                                                              &kManual});
  return kAll;
}

}  // namespace drover::cli
