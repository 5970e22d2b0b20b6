#include "triggers/declared/declaration.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <span>
#include <tuple>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "config/read_toml.h"
#include "triggers/declared/keys.h"
#include "triggers/declared/limits.h"
#include "triggers/declared/toml_value.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/trigger_change.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr size_t kKeyBytesMax = 64;  // Of a key in a message.

// The problems of one file, in the order of its lines.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(const toml::source_position& at, std::string message) {
    if (problems_.size() >= kProblemsPerFileMax) return;
    problems_.push_back({.file = file_,
                         .line = std::max<size_t>(1, at.line),
                         .column = std::max<size_t>(1, at.column),
                         .message = std::move(message)});
  }
  size_t size() const { return problems_.size(); }
  std::vector<Problem> take() {
    std::ranges::sort(problems_, {},
                      [](const Problem& p) { return std::tie(p.line, p.column, p.message); });
    return std::move(problems_);
  }

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

std::string did_you_mean(std::string_view text, std::span<const std::string> known) {
  const std::string best = nearest(text, known);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

// One [[trigger]] table.
class Reader {
 public:
  Reader(const DeclaringFile& file, const toml::table& table, Problems& problems)
      : file_(file), table_(table), problems_(problems) {}

  Declaration read() {
    const size_t before = problems_.size();
    out_.line = table_.source().begin.line;
    out_.column = table_.source().begin.column;
    for (const auto& [key, node] : table_) take(key, node);
    choose_source();
    choose_command();
    if (!table_.contains("name")) {
      problems_.add(table_.source().begin, "name is missing: add a name, such as \"nightly\"");
      out_.fields["name"] = "x";
    }
    out_.fields["source"] = std::move(source_);
    out_.fields["run"] = std::move(run_);
    check();
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
    auto value = value_of(*key, node);
    if (!value) {
      value = sound_value(*key);
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

  static std::optional<json::value> sound_value(const Key& key) {
    if (key.sound.empty()) return std::nullopt;
    return json::parse(key.sound);
  }

  // Nothing: the value has the wrong form, which is reported.
  std::optional<json::value> value_of(const Key& key, const toml::node& node) {
    const auto wrong = [&](std::string_view what) {
      problems_.add(node.source().begin, std::string(key.key) + " must be " + std::string(what));
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
        return key_path(key, node, std::move(*value));
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

  // Makes paths of a project absolute, and refuses relative ones elsewhere.
  std::optional<json::value> key_path(const Key& key, const toml::node& node, json::value value) {
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
    if (file_.root.empty()) {
      problems_.add(
          node.source().begin,
          std::string(key.key) +
              " must be an absolute path; only a project's drover.toml has relative ones");
      return std::nullopt;
    }
    std::string whole =
        (std::filesystem::path(file_.root) / std::filesystem::path(path)).lexically_normal();
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return json::value(std::string(scheme) + whole);
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

  void choose_source() {
    std::string_view chosen;
    for (const SourceKey& one : kSourceKeys) {
      if (!table_.contains(one.key)) continue;
      if (one.key == "on" && chosen == "files") continue;  // Which changes.
      if (!chosen.empty()) {
        problems_.add(key_place(one.key), std::string(chosen) + " and " + std::string(one.key) +
                                              " cannot be combined; write two triggers");
        is_guessed_ = true;
        continue;
      }
      chosen = one.key;
      source_["type"] = one.type;
    }
    if (chosen.empty()) {
      problems_.add(table_.source().begin,
                    "say when it fires: cron, every, at, files, webhook, feed, page or on");
      is_guessed_ = true;
    }
    if (is_guessed_) {
      source_ = {{"type", "every"}, {"every", "1h"}};
      return;
    }
    if (chosen == "on" && source_["on"].is_array()) {
      problems_.add(key_place("on"), "on must be one type of events, in quotes");
      source_["on"] = "a.b";
    }
    if (chosen == "files") {
      if (json::value* kinds = source_.if_contains("on"); kinds != nullptr && kinds->is_string()) {
        source_["on"] = json::array{json::value(*kinds)};
      }
      if (!file_.root.empty() && !source_.contains("root")) source_["root"] = file_.root;
    }
    check_details(chosen);
  }

  void check_details(std::string_view chosen) {
    for (const DetailKey& detail : kDetailKeys) {
      if (!table_.contains(detail.key) ||
          std::ranges::find(detail.with, chosen) != detail.with.end())
        continue;
      std::string with(detail.with[0]);
      if (!detail.with[1].empty()) with += " or " + std::string(detail.with[1]);
      problems_.add(key_place(detail.key), std::string(detail.key) + " requires " + with);
      source_.erase(detail.key);
    }
  }

  void choose_command() {
    const bool command = table_.contains("command");
    const bool shell = table_.contains("shell");
    if (command && shell) {
      problems_.add(key_place("shell"), "command and shell cannot be combined; give one of them");
      run_.erase("shell");
    } else if (!command && !shell) {
      problems_.add(table_.source().begin,
                    "the command is missing: command = [\"…\"] or shell = \"…\"");
      run_["shell"] = "true";
    }
    if (!run_.contains("cwd")) run_["cwd"] = file_.root.empty() ? "/" : file_.root;
  }

  // Asks the same reader as the API. It reports one error; the value is replaced by a sound one,
  // and it is asked again.
  void check() {
    for (size_t i = 0; i <= kKeys.size(); ++i) {
      const auto spec = read_spec(out_.fields, 0);
      if (spec) {
        out_.fields = fields_of(*spec);
        return;
      }
      if (!replace(spec.error())) return;
    }
  }

  // False: nothing could be replaced.
  bool replace(const Error& error) {
    const Key* key = key_of(error.param);
    // A source that is only assumed has no mistakes; neither are its rules known.
    const bool is_known = !is_guessed_ || (key != nullptr && key->part == KeyPart::run) ||
                          (key != nullptr && key->key == "name");
    if (is_known) problems_.add(place_of(key), message_of(error, key));
    if (key == nullptr) return false;
    json::object* object =
        key->part == KeyPart::trigger
            ? &out_.fields
            : &out_.fields[key->part == KeyPart::run ? "run" : "source"].as_object();
    const json::value* given = object->if_contains(key->api_field());
    const auto sound = sound_value(*key);
    if (sound) {
      if (given != nullptr && *given == *sound) return false;
      (*object)[key->api_field()] = *sound;
      return true;
    }
    return object->erase(key->api_field()) > 0;
  }

  toml::source_position place_of(const Key* key) const {
    const toml::node* node = key == nullptr ? nullptr : table_.get(key->key);
    return node == nullptr ? table_.source().begin : node->source().begin;
  }

  // Errors of the API name its fields: "invalid_value" says nothing without the key.
  static std::string message_of(const Error& error, const Key* key) {
    if (error.reason != "unknown_field") return error.message;
    return "unknown field " + bounded(error.param, kKeyBytesMax) +
           (key == nullptr ? "" : " of " + std::string(key->key));
  }

  // "run.retry.max", "source.globs[2]": the key that is at fault.
  const Key* key_of(std::string_view param) const {
    KeyPart part = KeyPart::trigger;
    if (param.starts_with("source.")) part = KeyPart::source;
    if (param.starts_with("run.")) part = KeyPart::run;
    if (part != KeyPart::trigger) param.remove_prefix(param.find('.') + 1);
    param = param.substr(0, param.find_first_of(".["));
    if (param == "filter") param = "filters";
    if (param == "kinds") param = "on";
    if (param == "settle_ms") param = "settle";
    if (param == "command" && !table_.contains("command")) param = "shell";
    const Key* best = nullptr;
    for (const Key& key : kKeys) {
      if (key.part != part || key.api_field() != param) continue;
      if (best == nullptr || table_.contains(key.key)) best = &key;
    }
    return best;
  }

  toml::source_position key_place(std::string_view name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? table_.source().begin : found->first.source().begin;
  }

  const DeclaringFile& file_;
  const toml::table& table_;
  Problems& problems_;
  Declaration out_;
  json::object source_, run_;
  bool is_guessed_ = false;  // The table does not say when the trigger fires, or says two things.
};

}  // namespace

Declarations read_declarations(const DeclaringFile& file, std::string_view toml) {
  Declarations out;
  Problems problems(file.path);
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
