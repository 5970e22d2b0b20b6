#include "triggers/declared/declaration_watch.h"

#include <map>
#include <utility>

#include "log/log.h"
#include "play/project.h"

namespace drover::triggers {

DeclarationWatch::DeclarationWatch(const boost::asio::any_io_executor& loop, work::Pool& workers,
                                   const Clock& clock, std::function<void()> changed)
    : watches_(loop, workers, clock, [this, changed](const std::string& id, ChangeBatch) {
        watches_.accepted(id);
        changed();
      }) {
  watches_.on_unchanged([changed](const std::string&) { changed(); });
}

void DeclarationWatch::watch(const std::string& directory,
                             const std::vector<std::string>& project_roots) {
  std::map<std::string, FileSpec> wanted;
  wanted[directory] = {.root = directory, .globs = {"*.toml"}, .gitignore = false};
  for (const std::string& root : project_roots) {
    wanted[root] = {.root = root, .globs = {std::string(play::kProjectFile)}, .gitignore = false};
  }
  std::erase_if(watched_, [&](const std::string& root) {
    if (wanted.contains(root)) return false;
    watches_.remove(root);
    return true;
  });
  for (auto& [root, spec] : wanted) {
    if (!watched_.insert(root).second) continue;
    const auto set = watches_.set(root, std::move(spec), {});
    if (!set) log::error("declared triggers in {}: {}", root, set.error().message);
  }
}

}  // namespace drover::triggers
