#include "cli/commands/commands.h"

#include <array>

namespace drover::cli {
namespace {

constexpr auto kBeforeRooms = std::to_array<const Command*>(
    {&kRun,     &kPs,        &kTop,        &kShow,      &kWhy,    &kLogs,     &kAttach,
     &kWait,    &kCancel,    &kRetry,      &kRm,        &kSend,   &kSignal,   &kLaneLs,
     &kLaneSet, &kLanePause, &kLaneResume, &kLaneDrain, &kLaneRm, &kLaneMove, &kPriority});
constexpr auto kBehindRooms = std::to_array<const Command*>(
    {&kEvents,     &kProgress,    &kExport,         &kCompletion,    &kStatus,
     &kStop,       &kServe,       &kServiceInstall, &kServiceRemove, &kServiceStatus,
     &kDoctor,     &kConfigShow,  &kConfigGet,      &kConfigSet,     &kConfigUnset,
     &kConfigPath, &kFollowerLs,  &kFollowerResume, &kFollowerSkip,  &kVersion,
     &kUi,         &kTokenCreate, &kTokenLs,        &kTokenRevoke,   &kComplete,
     &kManual});

}  // namespace

std::vector<const Command*> commands_with(
    std::initializer_list<std::span<const Command* const>> rooms) {
  std::vector<const Command*> out(kBeforeRooms.begin(), kBeforeRooms.end());
  for (const auto room : rooms) out.insert(out.end(), room.begin(), room.end());
  out.insert(out.end(), kBehindRooms.begin(), kBehindRooms.end());
  return out;
}

}  // namespace drover::cli
