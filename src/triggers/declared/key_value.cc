#include "triggers/declared/key_value.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>

#include "triggers/declared/limits.h"
#include "triggers/declared/toml_value.h"

namespace drover::triggers {

namespace json = boost::json;

namespace {

// Makes paths of a project absolute, and refuses relative ones elsewhere.
std::optional<json::value> absolute_path(const Key& key, const toml::node& node, json::value value,
                                         const std::string& root, ProblemList& problems) {
  std::string_view path = value.get_string();
  std::string_view scheme;
  if (key.key == "secret") {
    if (!path.starts_with("file:")) return value;
    scheme = path.substr(0, 5);
    path.remove_prefix(5);
  } else if (key.key != "cwd" && key.key != "root" && key.key != "env_file") {
    return value;
  }
  if (path.starts_with('/')) return value;
  if (root.empty()) {
    problems.add(node.source().begin,
                 std::string(key.key) +
                     " must be an absolute path; only a project's drover.toml has relative ones");
    return std::nullopt;
  }
  std::string whole =
      (std::filesystem::path(root) / std::filesystem::path(path)).lexically_normal();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return json::value(std::string(scheme) + whole);
}

}  // namespace

std::optional<json::value> read_key_value(const Key& key, const toml::node& node,
                                          const std::string& root, ProblemList& problems) {
  const auto wrong = [&](std::string_view what) {
    problems.add(node.source().begin, std::string(key.key) + " must be " + std::string(what));
    return std::nullopt;
  };
  if (auto time = time_text(node); time && key.form == KeyForm::time) return json::value(*time);
  auto value = json_of(node, kDeclarationNestingMax);
  if (!value) return wrong("text, a number, true or false, or a list or table of these");
  const bool is_texts = value->is_array() && std::ranges::all_of(value->get_array(), [](auto& v) {
                          return v.is_string();
                        });
  switch (key.form) {
    case KeyForm::text:
      if (!value->is_string()) return wrong("text, in quotes");
      return absolute_path(key, node, std::move(*value), root, problems);
    case KeyForm::time:
      if (!value->is_string()) return wrong("a time with an offset: 2026-12-24T18:00:00Z");
      return value;
    case KeyForm::texts:
      if (!is_texts) return wrong("a list of texts, such as [\"make\", \"all\"]");
      return value;
    case KeyForm::text_or_texts:
      if (!is_texts && !value->is_string()) return wrong("text or a list of texts, in quotes");
      // `on` names a type of events, or kinds of changes.
      if (value->is_string() && key.key == "files") return json::array{std::move(*value)};
      return value;
    case KeyForm::flag:
      return value->is_bool() ? value : wrong("true or false");
    case KeyForm::number:
      return value->is_int64() ? value : wrong("a whole number");
    case KeyForm::number_or_table:
      if (value->is_int64()) return json::object{{"max", std::move(*value)}};
      return value->is_object() ? value : wrong("a whole number or a table");
    case KeyForm::table:
      return value->is_object() ? value : wrong("a table, such as { KEY = \"value\" }");
    case KeyForm::any:
      return value;
  }
  return value;
}

std::optional<json::value> valid_value(const Key& key) {
  if (key.valid.empty()) return std::nullopt;
  return json::parse(key.valid);
}

}  // namespace drover::triggers
