#include "triggers/declared/declaration.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "config/read_toml.h"
#include "triggers/declared/declared_source.h"
#include "triggers/declared/key_value.h"
#include "triggers/declared/keys.h"
#include "triggers/declared/limits.h"
#include "triggers/declared/problem_list.h"
#include "triggers/declared/spec_check.h"
#include "triggers/definition/trigger_change.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

// One [[trigger]] table.
class Reader {
 public:
  Reader(const DeclaringFile& file, const toml::table& table, ProblemList& problems)
      : file_(file), table_(table), problems_(problems) {}

  Declaration read() {
    const size_t before = problems_.size();
    out_.line = table_.source().begin.line;
    out_.column = table_.source().begin.column;
    for (const auto& [key, node] : table_) take(key, node);
    const bool is_source_known = choose_source(file_, table_, source_, problems_);
    choose_command();
    if (!table_.contains("name")) {
      problems_.add(table_.source().begin, "name is missing: add a name, such as \"nightly\"");
      out_.fields["name"] = "x";
    }
    out_.fields["source"] = std::move(source_);
    out_.fields["run"] = std::move(run_);
    check_spec(out_.fields, table_, is_source_known, problems_);
    if (problems_.size() > before) out_.fields = {};
    return std::move(out_);
  }

 private:
  void take(const toml::key& name, const toml::node& node) {
    const Key* key = find_key(name.str());
    if (key == nullptr) {
      std::vector<std::string> known;
      for (const Key& one : kKeys) known.emplace_back(one.key);
      return problems_.add(name.source().begin, "unknown key " + bounded(name.str(), kKeyBytesMax) +
                                                    did_you_mean(name.str(), known));
    }
    if (key->key == "env") return take_environment(node);
    auto value = read_key_value(*key, node, file_.root, problems_);
    if (!value) {
      value = valid_value(*key);
      if (!value) return;
    }
    if (key->key == "name" && value->is_string()) out_.name = value->get_string();
    if (key->key == "env_file") {
      out_.env_file = value->get_string();
      out_.env_file_line = node.source().begin.line;
      out_.env_file_column = node.source().begin.column;
      return;
    }
    object_of(*key)[key->api_field()] = std::move(*value);
  }

  json::object& object_of(const Key& key) {
    if (key.part == KeyPart::source) return source_;
    return key.part == KeyPart::run ? run_ : out_.fields;
  }

  // Messages name the variable, never its value.
  void take_environment(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      return problems_.add(node.source().begin, "env must be a table: { NAME = \"value\" }");
    }
    for (const auto& [name, one] : *table) {
      const auto* text = one.as_string();
      if (text == nullptr) {
        problems_.add(one.source().begin, "the variable " + bounded(name.str(), kKeyBytesMax) +
                                              " must be text, in quotes");
        continue;
      }
      const Variables only{{std::string(name.str()), text->get()}};
      if (auto ok = check_variables(only); !ok) {
        problems_.add(name.source().begin, ok.error().message);
      } else {
        out_.variables.insert(*only.begin());
      }
    }
  }

  void choose_command() {
    const bool command = table_.contains("command");
    const bool shell = table_.contains("shell");
    if (command && shell) {
      problems_.add(place_of_key(table_, "shell"),
                    "command and shell cannot be combined; give one of them");
      run_.erase("shell");
    } else if (!command && !shell) {
      problems_.add(table_.source().begin,
                    "the command is missing: command = [\"…\"] or shell = \"…\"");
      run_["shell"] = "true";
    }
    if (!run_.contains("cwd")) run_["cwd"] = file_.root.empty() ? "/" : file_.root;
  }

  const DeclaringFile& file_;
  const toml::table& table_;
  ProblemList& problems_;
  Declaration out_;
  json::object source_, run_;
};

}  // namespace

Declarations read_declarations(const DeclaringFile& file, std::string_view toml) {
  Declarations out;
  ProblemList problems(file.path);
  const auto all = config::parse_toml(file.path, toml);
  if (!all) {
    problems.add({.line = static_cast<toml::source_index>(all.error().line),
                  .column = static_cast<toml::source_index>(all.error().column)},
                 "invalid TOML: " + all.error().why);
    out.problems = problems.take();
    return out;
  }
  for (const auto& [key, node] : *all) {
    // The other sections of a drover.toml are those of the project.
    if (key == "trigger" || !file.root.empty()) continue;
    const std::vector<std::string> known{"trigger"};
    problems.add(key.source().begin, "unknown section " + bounded(key.str(), kKeyBytesMax) +
                                         "; a file of triggers has only [[trigger]]" +
                                         did_you_mean(key.str(), known));
  }
  const toml::node* node = all->get("trigger");
  const toml::array* tables = node == nullptr ? nullptr : node->as_array();
  if (node != nullptr && tables == nullptr) {
    problems.add(node->source().begin, "trigger must be a list of tables: write [[trigger]]");
  }
  if (tables != nullptr && tables->size() > kDeclaredPerFileMax) {
    problems.add(node->source().begin, "more than " + std::to_string(kDeclaredPerFileMax) +
                                           " triggers in one file; write several files");
    tables = nullptr;
  }
  for (size_t i = 0; tables != nullptr && i < tables->size(); ++i) {
    const toml::table* table = tables->get(i)->as_table();
    if (table == nullptr) {
      problems.add(tables->get(i)->source().begin, "a trigger must be a table: write [[trigger]]");
      continue;
    }
    Declaration one = Reader(file, *table, problems).read();
    const auto same = std::ranges::find(out.triggers, one.name, &Declaration::name);
    if (!one.name.empty() && same != out.triggers.end()) {
      problems.add(table->get("name")->source().begin,
                   "the trigger " + bounded(one.name, kKeyBytesMax) + " is declared in line " +
                       std::to_string(same->line) + ", too; choose another name");
    }
    out.triggers.push_back(std::move(one));
  }
  out.problems = problems.take();
  return out;
}

}  // namespace drover::triggers
