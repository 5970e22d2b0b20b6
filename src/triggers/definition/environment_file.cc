#include "triggers/definition/environment_file.h"

#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "base/limits.h"
#include "base/ownership.h"

namespace drover::triggers {
namespace {

std::string path_of(const Home& home, std::string_view trigger) {
  return triggers_directory(home) + "/" + std::string(trigger) + ".env";
}

}  // namespace

std::string triggers_directory(const Home& home) {
  return home.state + "/triggers";
}

Result<> write_environment_file(const Home& home, std::string_view trigger,
                                const Variables& variables) {
  const std::string path = path_of(home, trigger);
  if (variables.empty()) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return fail_errno("cannot remove " + path, errno);
    }
    return {};
  }
  if (auto made = make_private_directory(triggers_directory(home)); !made) return made;
  std::string text;
  for (const auto& [name, value] : variables) text += name + "=" + value + '\0';
  return replace_file(path, text);
}

Result<Variables> read_environment_file(const Home& home, std::string_view trigger) {
  const std::string path = path_of(home, trigger);
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return Variables{};
  if (auto own = check_own_file(path); !own) return std::unexpected(own.error());
  const auto text = read_regular_file(path, limits::kSpecBytesMax);
  if (!text) return std::unexpected(text.error());
  Variables out;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\0', at), text->size());
    const std::string_view line(text->data() + at, end - at);
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      out.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    at = end + 1;
  }
  return out;
}

void remove_files(const Home& home, std::string_view trigger) {
  ::unlink(path_of(home, trigger).c_str());
  (void)remove_tree(triggers_directory(home) + "/" + std::string(trigger) + ".events");
}

}  // namespace drover::triggers
