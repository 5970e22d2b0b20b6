#include "cmd/play_room.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "api/play/routes.h"
#include "base/fd.h"
#include "play/kinds.h"
#include "play/known_projects.h"
#include "play/manifest.h"
#include "play/plays.h"
#include "play/script.h"
#include "play/sql_checks.h"
#include "wire/errors.h"

namespace drover {
namespace {

struct PlayService final : RoomService {
  explicit PlayService(const DaemonParts& p) : plays(p.reads, p.dispatcher, p.record, p.clock) {}
  play::Plays plays;
};

std::unique_ptr<RoomService> make_service(const DaemonParts& parts, api::Rooms& objects) {
  auto service = std::make_unique<PlayService>(parts);
  objects.add(service->plays);
  return service;
}

std::vector<conduct::Script> make_scripts(const DaemonParts& parts) {
  return {play::script(parts.home, parts.programs)};
}

// The last step of a preparation, in a process of its own: it reads every byte of the build.
Result<int> write_manifest(const std::string& value, bool json) {
  const std::string root = value.empty() ? "." : value;
  const auto project = play::load_project(root);
  const auto tally = project ? play::write_manifest(root, *project)
                             : Result<play::ManifestTally>(std::unexpected(project.error()));
  if (!tally) {
    (void)write_all(STDERR_FILENO,
                    json ? wire::envelope(tally.error(), "") + "\n" : tally.error().message + "\n");
    return 1;
  }
  (void)write_all(
      STDOUT_FILENO,
      json ? fmt::format("{{\"path\":\"build/manifest.json\",\"files\":{},\"bytes\":{}}}\n",
                         tally->files, tally->bytes)
           : fmt::format("build/manifest.json: {} file{}, {} bytes\n", tally->files,
                         tally->files == 1 ? "" : "s", tally->bytes));
  return 0;
}

constexpr auto kOptions = std::to_array<RoomOption>({
    {"--manifest", "ROOT", "Write build/manifest.json of a project; start no daemon",
     write_manifest},
});

}  // namespace

const Room kPlayRoom{
    .name = "play",
    .kinds = play::kKinds,
    .tables = &play::kTables,
    .checks = &play::kSqlCheckSet,
    .routes = api::play_routes,
    .scripts = make_scripts,
    .service = make_service,
    .options = kOptions,
};

}  // namespace drover
