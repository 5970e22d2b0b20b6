#include "cmd/arrows.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace drover::arrows {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

Result<> read_line(std::string_view line, Order& order, int& height) {
  std::vector<std::string> words = words_of(line);
  const auto bad = [&] { return fail_invalid("ORDER", "cannot be read: " + std::string(line)); };
  if (words.front() == "only") {
    if (words.size() < 3 || !words[1].ends_with(':')) return bad();
    words[1].pop_back();
    order.only[words[1]] = {words.begin() + 2, words.end()};
    return {};
  }
  if (words.front() == "only-in") {  // only-in FILE…: `TEXT`
    const size_t begin = line.find('`');
    const size_t end = line.rfind('`');
    if (begin == end || end + 1 != line.size()) return bad();
    words = words_of(line.substr(0, begin));
    if (words.size() < 2 || !words.back().ends_with(':')) return bad();
    words.back().pop_back();
    order.only_in[std::string(line.substr(begin + 1, end - begin - 1))] = {words.begin() + 1,
                                                                           words.end()};
    return {};
  }
  if (words.front() == "allowed-in") {
    order.allowed_in.insert(words.begin() + 1, words.end());
    return {};
  }
  if (words.front() == "forbidden-words") {
    const auto in = std::ranges::find(words, "in");
    if (in == words.end()) return bad();
    for (auto directory = in + 1; directory != words.end(); ++directory) {
      order.forbidden_words[*directory].insert(words.begin() + 1, in);
    }
    return {};
  }
  --height;
  for (const std::string& directory : words) order.height[directory] = height;
  return {};
}

// Words of identifiers and prose. Splits at every character that is not a letter, and before a
// capital ("kPlayLane").
void gather_words(std::string_view line, const Order& order, std::set<std::string>& found) {
  std::string word;
  const auto cut = [&] {
    const bool wanted = std::ranges::any_of(order.forbidden_words, [&](const auto& directory) {
      return directory.second.contains(word);
    });
    if (wanted) found.insert(word);
    word.clear();
  };
  for (const char c : line) {
    const auto letter = static_cast<unsigned char>(c);
    if (!std::isalpha(letter) || std::isupper(letter)) cut();
    if (std::isalpha(letter)) word += static_cast<char>(std::tolower(letter));
  }
  cut();
}

void gather_texts(std::string_view line, const Order& order, std::set<std::string>& found) {
  const std::string_view code = line.substr(0, line.find("//"));
  for (const auto& [text, files] : order.only_in) {
    if (code.find(text) != std::string_view::npos) found.insert(text);
  }
}

bool may_contain(const Order& order, const Source& source, const std::string& text) {
  const std::set<std::string>& files = order.only_in.at(text);
  return source.is_test() || files.contains(source.path) ||
         files.contains(std::string(source.directory()));
}

bool may_use(const Order& order, const Source& source, const std::string& used) {
  const std::string_view directory = source.directory();
  if (used == "testing") return source.is_test();
  const auto only = order.only.find(directory);
  if (only != order.only.end() && !source.is_test()) return only->second.contains(used);
  const auto from = order.height.find(directory);
  const auto to = order.height.find(used);
  return from != order.height.end() && to != order.height.end() && to->second < from->second;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string_view Source::directory() const {
  return std::string_view(path).substr(0, path.find('/'));
}

bool Source::is_test() const {
  const auto holds = [this](std::string_view part) { return path.find(part) != std::string::npos; };
  return directory() == "testing" || holds("_test.") || holds("_fixture.") || holds("_contract.") ||
         holds("/fake_");
}

Result<Order> parse_order(std::string_view text) {
  Order order;
  int height = 0;
  for (const std::string_view line : lines_of(text)) {
    if (auto ok = read_line(line, order, height); !ok) return std::unexpected(ok.error());
  }
  return order;
}

Source read_source(std::string path, std::string_view text, const Order& order) {
  Source source{.path = std::move(path), .uses = {}, .says = {}, .contains = {}};
  constexpr std::string_view kInclude = "#include \"";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (!line.starts_with(kInclude)) {
      gather_words(line, order, source.says);
      gather_texts(line, order, source.contains);
      continue;
    }
    const std::string_view name = line.substr(kInclude.size());
    const std::string used(name.substr(0, name.find('/')));
    if (name.find('/') != std::string_view::npos && used != source.directory()) {
      source.uses.insert(used);
    }
  }
  return source;
}

std::vector<std::string> complaints(const Order& order, const std::vector<Source>& sources,
                                    std::string_view debt) {
  std::set<std::string> owed;
  for (const std::string_view line : lines_of(debt)) owed.emplace(line);
  std::vector<std::string> out;
  const auto complain = [&](std::string what) {
    if (owed.erase(what) == 0) out.push_back(std::move(what));
  };
  for (const Source& source : sources) {
    for (const std::string& used : source.uses) {
      if (!may_use(order, source, used)) complain(source.path + " includes " + used);
    }
    for (const std::string& text : source.contains) {
      if (!may_contain(order, source, text)) complain(source.path + " contains `" + text + "`");
    }
    const auto forbidden = order.forbidden_words.find(source.directory());
    if (forbidden == order.forbidden_words.end() || order.allowed_in.contains(source.path))
      continue;
    for (const std::string& word : source.says) {
      if (forbidden->second.contains(word)) complain(source.path + " says " + word);
    }
  }
  for (const auto& [text, files] : order.only_in) {
    if (!std::ranges::any_of(sources, [&](const Source& s) { return s.contains.contains(text); })) {
      out.push_back("ORDER: no file contains `" + text + "`, remove its rule");
    }
  }
  for (const std::string& line : owed) out.push_back("no longer true, remove it: " + line);
  return out;
}

Result<std::vector<Source>> read_sources(const std::string& directory, const Order& order) {
  std::vector<Source> sources;
  std::error_code bad;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, bad)) {
    const auto& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cc") continue;
    sources.push_back(read_source(path.lexically_relative(directory), contents(path), order));
  }
  if (bad) return fail_errno("the sources cannot be read", bad.value());
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

}  // namespace drover::arrows
