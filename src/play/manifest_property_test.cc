// Property test: equal trees have equal manifests, and different trees have different ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/fd.h"
#include "play/manifest.h"
#include "testing/directory.h"

namespace drover::play {
namespace {

namespace fs = std::filesystem;

using Tree = std::map<std::string, std::string>;

// A name of any bytes that a file may have. Names of files end in f and names of directories do
// not, so that no name is both.
rc::Gen<std::string> name(char last) {
  return rc::gen::map(rc::gen::arbitrary<std::string>(), [last](std::string text) {
    std::erase_if(text, [](char c) { return c == '/' || c == '\0'; });
    text.resize(std::min<size_t>(text.size(), 100));
    return text + last;
  });
}

rc::Gen<std::string> path() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::container<std::vector<std::string>>(name('d')), name('f')),
      [](const std::pair<std::vector<std::string>, std::string>& parts) {
        std::string out;
        for (size_t i = 0; i < std::min<size_t>(parts.first.size(), 5); ++i) {
          out += parts.first[i] + "/";
        }
        return out + parts.second;
      });
}

// The manifest of a tree whose files are created in the order of `files`.
std::string manifest_of(const std::vector<std::pair<std::string, std::string>>& files) {
  const testing::TestDirectory directory(testing::DirectoryPlace::memory);
  fs::create_directory(directory.file("build"));
  for (const auto& [name, text] : files) {
    const std::string file = directory.file("build/" + name);
    fs::create_directories(fs::path(file).parent_path());
    RC_ASSERT(replace_file(file, text).has_value());
  }
  const auto project = parse_project("drover.toml", "[project]\nid = \"a\"\n");
  RC_ASSERT(write_manifest(directory.path(), *project).has_value());
  return read_file(directory.file("build/manifest.json"), 1 << 24).value_or("");
}

std::vector<std::pair<std::string, std::string>> list_of(const Tree& tree) {
  return {tree.begin(), tree.end()};
}

// P2: the order in which the files were created makes no difference.
RC_GTEST_PROP(ManifestProperty, SameTreeSameBytes, ()) {
  const Tree tree = *rc::gen::container<Tree>(path(), rc::gen::arbitrary<std::string>());
  auto files = list_of(tree);
  const std::string once = manifest_of(files);
  std::ranges::reverse(files);
  RC_ASSERT(manifest_of(files) == once);
}

// P2: one changed bit or name gives another manifest.
RC_GTEST_PROP(ManifestProperty, OneBitMakesADifference, ()) {
  Tree tree =
      *rc::gen::suchThat(rc::gen::container<Tree>(path(), rc::gen::arbitrary<std::string>()),
                         [](const Tree& one) { return !one.empty(); });
  const std::string before = manifest_of(list_of(tree));
  auto file = std::next(tree.begin(), *rc::gen::inRange<long>(0, static_cast<long>(tree.size())));
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      if (file->second.empty()) {
        file->second = "x";
      } else {
        const auto at = *rc::gen::inRange<size_t>(0, file->second.size());
        file->second[at] = static_cast<char>(file->second[at] ^ (1 << *rc::gen::inRange(0, 8)));
      }
      break;
    case 1: {  // The same file under another name.
      auto node = tree.extract(file);
      while (tree.contains(node.key())) node.key().insert(0, "x");
      node.key().insert(0, "x");
      if (tree.contains(node.key())) return;
      tree.insert(std::move(node));
      break;
    }
    default:
      tree.erase(file);
  }
  RC_ASSERT(manifest_of(list_of(tree)) != before);
}

}  // namespace
}  // namespace drover::play
