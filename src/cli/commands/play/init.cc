// drover init: makes a directory a project.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/limits.h"
#include "cli/commands/play/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/service/unit.h"
#include "cli/views/table.h"
#include "wire/play/example.h"
#include "wire/play/project_id.h"
#include "wire/word.h"

namespace drover::cli {
namespace {

// Never overwrites an existing file.
Result<> write_new(const std::string& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd && errno == EEXIST) {
    return fail(ErrorCode::conflict, "project_exists", path + " already exists; it was not changed",
                "project");
  }
  if (!fd) return fail_errno("cannot create " + path, errno);
  auto ok = write_all(fd.get(), text);
  if (!ok) ::unlink(path.c_str());  // A partial file would block the next init.
  return ok;
}

bool is_ignored(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line == ".drover/" || line == ".drover" || line == "/.drover/" || line == "/.drover") {
      return true;
    }
  }
  return false;
}

// Adds .drover/ to the .gitignore at `path`. Returns whether it was missing.
Result<bool> ignore_setup(const std::string& path) {
  std::string text;
  if (::access(path.c_str(), F_OK) == 0) {
    auto read = read_regular_file(path, limits::kConfigBytesMax);
    if (!read) return std::unexpected(read.error());
    text = std::move(*read);
  }
  if (is_ignored(text)) return false;
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!fd) return fail_errno("cannot open " + path, errno);
  const std::string_view before = text.empty() || text.ends_with('\n') ? "" : "\n";
  if (auto ok = write_all(fd.get(), std::string(before) + ".drover/\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return true;
}

// Quotes only where necessary. A leading - must not be read as an option.
std::string in_shell(const std::string& directory) {
  const bool plain = std::ranges::all_of(directory, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-';
  });
  const std::string path = (directory.starts_with('-') ? "./" : "") + directory;
  return plain ? path : shell_word(path);
}

std::string what_next(const std::string& directory, const std::string& at, bool added,
                      const Context& context) {
  const auto bold = [&](std::string_view text) { return context.screen.paint(Color::bold, text); };
  const std::string shown = clean(at);
  std::string out =
      "Wrote " + bold(shown + "drover.toml") + ": describe in it how the project is built.\n";
  if (added) {
    out += "Added .drover/ to " + bold(shown + ".gitignore") + ": it belongs to this machine.\n";
  }
  return out + "\nThen set the path of its runtime, and play the project:\n\n" +
         (at.empty() ? "" : "    cd " + clean(in_shell(directory)) + "\n") +
         "    mkdir -p .drover\n"
         "    echo '{\"runtimePath\": \"/path/to/the/runtime\"}' > .drover/setup.json\n"
         "    drover play\n";
}

Result<int> init(Context& context, const Arguments& arguments) {
  std::string directory = arguments.words.empty() ? "." : arguments.words[0];
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail_errno("cannot create the directory " + directory, error.value());
  const std::filesystem::path whole = std::filesystem::canonical(directory, error);
  if (error) return fail_errno("cannot resolve " + directory, error.value());
  const std::string id = wire::play::project_id_like(whole.filename().string());
  const std::string at = directory == "." ? "" : directory + "/";
  if (auto ok = write_new(at + "drover.toml", wire::play::example_project(id)); !ok) {
    return std::unexpected(ok.error());
  }
  const auto ignored = ignore_setup(at + ".gitignore");
  if (!ignored) {  // The project itself was created.
    context.screen.notice("add .drover/ to .gitignore yourself, it belongs to this machine: " +
                          ignored.error().message);
  }
  const bool added = ignored.value_or(false);
  const std::string text =
      context.json ? json_text(boost::json::object{{"id", id},
                                                   {"root", wire::word_of(whole.string())},
                                                   {"gitignore_changed", added}}) +
                         "\n"
                   : what_next(directory, at, added, context);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kInit{
    .name = "init",
    .words = "[DIR]",
    .group = Group::projects,
    .summary = "Create a project",
    .help =
        "Create a project in this directory or in DIR: write a drover.toml with comments, and "
        "add .drover/ to .gitignore.",
    .examples = {{{"drover init", "Make the current directory a project."},
                  {"drover init ~/src/game", "Make another directory a project."}}},
    .options = {},
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = init,
};

}  // namespace drover::cli
