#include "config/file.h"

#include <algorithm>

#include "config/read_toml.h"

namespace drover::config {
namespace {

std::unexpected<Error> bad(const std::string& path, size_t line, const std::string& message) {
  return fail(ErrorCode::invalid, "bad_config", path + ":" + std::to_string(line) + ": " + message,
              "config");
}

Result<> collect(const std::string& path, const toml::table& table, const std::string& above,
                 std::vector<Line>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = above + std::string(key.str());
    const size_t line = std::max<size_t>(1, node.source().begin.line);
    if (const toml::table* below = node.as_table()) {
      if (auto ok = collect(path, *below, name + ".", out); !ok) return ok;
    } else if (const auto* text = node.as_string()) {
      out.push_back({name, text->get(), false, line});
    } else if (const auto* number = node.as_integer()) {
      out.push_back({name, std::to_string(number->get()), true, line});
    } else {
      return bad(path, line, name + " must be text or a whole number");
    }
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

struct Text {
  std::string_view text;
  std::string opens;  // The section that it opens, or empty.
  std::string sets;   // The name it sets, or empty: "age = …" below [retention] is retention.age.
};

std::vector<Text> lines_of(std::string_view toml) {
  std::vector<Text> out;
  std::string section;
  while (!toml.empty()) {
    const size_t end = std::min(toml.find('\n'), toml.size());
    Text line{.text = toml.substr(0, end), .opens = {}, .sets = {}};
    toml.remove_prefix(std::min(toml.size(), end + 1));
    const std::string_view bare = trimmed(line.text);
    if (bare.starts_with('[')) {
      section = std::string(trimmed(bare.substr(1, bare.find(']') - 1)));
      line.opens = section;
    } else if (const size_t equals = bare.find('=');
               equals != std::string_view::npos && !bare.starts_with('#')) {
      line.sets =
          (section.empty() ? "" : section + ".") + std::string(trimmed(bare.substr(0, equals)));
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The comment after a value, with the space before it. A # in quotes starts no comment.
std::string_view comment_in(std::string_view value) {
  char quote = '\0';
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      const size_t last = value.substr(0, i).find_last_not_of(" \t");
      return value.substr(last == std::string_view::npos ? 0 : last + 1);
    }
  }
  return "";
}

}  // namespace

Result<std::vector<Line>> parse(const std::string& path, std::string_view toml) {
  std::vector<Line> out;
  const auto table = read_toml(path, toml, "bad_config", "config");
  if (!table) return std::unexpected(table.error());
  if (auto ok = collect(path, *table, "", out); !ok) return std::unexpected(ok.error());
  return out;
}

std::string edit(std::string_view toml, std::string_view name, std::string_view value,
                 bool is_number) {
  const std::string section(name.substr(0, name.find('.')));
  const std::string key(name.substr(name.find('.') + 1));
  const std::string written = is_number ? std::string(value) : quoted(value);
  const std::vector<Text> lines = lines_of(toml);
  const bool is_set = std::ranges::any_of(lines, [&](const Text& l) { return l.sets == name; });
  std::string out;
  bool done = value.empty();
  for (const Text& line : lines) {
    if (line.sets == name) {
      // Keeps the spelling of its key: it may be dotted.
      if (!value.empty()) {
        const size_t equals = line.text.find('=');
        out.append(line.text.substr(0, equals)).append("= " + written);
        out.append(comment_in(line.text.substr(equals + 1))) += '\n';
      }
      done = true;
      continue;
    }
    out.append(line.text) += '\n';
    if (!done && !is_set && line.opens == section) {
      out += key + " = " + written + "\n";
      done = true;
    }
  }
  if (!done) {
    if (!out.empty()) out += '\n';
    out += "[" + section + "]\n" + key + " = " + written + "\n";
  }
  return out;
}

}  // namespace drover::config
