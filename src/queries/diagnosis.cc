#include "queries/diagnosis.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/journal.h"
#include "base/limits.h"
#include "base/output_file.h"
#include "diagnosis/look.h"
#include "dispatch/ending/endings.h"

namespace drover::queries {
namespace {

using diagnosis::Scene;

// When the newest part of the run's output was last written; 0: it has printed nothing.
WallMs printed_at(const std::string& directory) {
  WallMs newest = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    struct stat st{};
    if (!it->path().filename().string().starts_with("output")) continue;
    if (::lstat(it->path().c_str(), &st) != 0 || st.st_size == 0) continue;
    newest = std::max<WallMs>(newest, st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1'000'000);
  }
  return newest;
}

// The pids of the keeper and its command, from the run's journal. Empty: neither has signed it yet,
// or both have exited.
std::optional<JournalText> find_processes(const Home& home, const run::Record& record) {
  auto journal = read_journal_state(home.run_file(record.id));
  if (!journal || journal->liveness != Liveness::alive) return std::nullopt;
  if (!journal->text.identity || !journal->text.started || journal->text.ending)
    return std::nullopt;
  return journal->text;
}

Scene look_at(const JournalText& text, diagnosis::Depth depth) {
  return diagnosis::look(text.identity->keeper.pid, text.started->command.pid, depth);
}

}  // namespace

std::optional<diagnosis::Usage> usage_now(const Home& home, const run::Record& record) {
  if (record.state != run::State::running) return std::nullopt;
  const auto text = find_processes(home, record);
  if (!text) return std::nullopt;
  return diagnosis::usage_of(look_at(*text, diagnosis::Depth::usage));
}

std::optional<FirstLook> look_first(const Home& home, const Clock& clock,
                                    const run::Record& record) {
  const auto text = find_processes(home, record);
  if (!text) return std::nullopt;
  const MonoNs begun = clock.mono_ns();
  return FirstLook{.scene = look_at(*text, diagnosis::Depth::usage), .time = begun};
}

std::optional<Diagnosis> look_again(const Home& home, const Clock& clock, const run::Record& record,
                                    const FirstLook& first) {
  const auto text = find_processes(home, record);
  if (!text) return std::nullopt;
  Scene scene = diagnosis::compare(first.scene, look_at(*text, diagnosis::Depth::whole),
                                   (clock.mono_ns() - first.time) / 1'000'000);
  scene.leader_has_exited = text->status.has_value();
  scene.now = clock.wall_ms();
  scene.started_at = dispatch::sound_time(text->started->wall_ms);
  const std::string directory = home.run_directory(record.id);
  scene.printed_at = printed_at(directory);
  scene.output_bytes = static_cast<std::int64_t>(OutputReader(directory).size().value_or(0));
  auto findings = diagnosis::judge(scene);
  return Diagnosis{.scene = std::move(scene), .findings = std::move(findings)};
}

}  // namespace drover::queries
