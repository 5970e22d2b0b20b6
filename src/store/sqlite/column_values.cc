#include "store/sqlite/column_values.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace drover::store::sqlite {
namespace {

namespace json = boost::json;

template <class Enum>
bool take_number(const Row& row, int column, std::int64_t last, Enum& out) {
  const std::int64_t number = row.integer(column);
  if (number < 0 || number > last) return false;
  out = static_cast<Enum>(number);
  return true;
}

template <class Enum, class Named>
bool take_name(const Row& row, int column, Named named, std::optional<Enum>& out) {
  if (row.is_null(column)) return true;
  out = named(row.text(column));
  return out.has_value();
}

}  // namespace

std::string text_of(const std::vector<std::string>& list) {
  return json::serialize(json::array(list.begin(), list.end()));
}

std::string text_of(const std::map<std::string, std::string>& map) {
  if (map.empty()) return "{}";
  json::object object;
  for (const auto& [key, text] : map) object[key] = text;
  return json::serialize(object);
}

bool take(const Row& row, int column, std::int64_t& out) {
  out = row.integer(column);
  return true;
}

bool take(const Row& row, int column, int& out) {
  out = static_cast<int>(row.integer(column));
  return true;
}

bool take(const Row& row, int column, bool& out) {
  out = row.integer(column) != 0;
  return true;
}

bool take(const Row& row, int column, std::string& out) {
  out = row.text(column);
  return true;
}

bool take(const Row& row, int column, RunId& out) {
  const auto id = RunId::parse(row.text(column));
  if (id) out = *id;
  return id.has_value();
}

bool take(const Row& row, int column, std::optional<int>& out) {
  if (!row.is_null(column)) out = static_cast<int>(row.integer(column));
  return true;
}

bool take(const Row& row, int column, run::State& out) {
  return take_number(row, column, std::ssize(run::kStates) - 1, out);
}

bool take(const Row& row, int column, run::OnRestart& out) {
  return take_number(row, column, static_cast<std::int64_t>(run::OnRestart::fail), out);
}

bool take(const Row& row, int column, LaunchStep& out) {
  return take_number(row, column, static_cast<std::int64_t>(kLastLaunchStep), out);
}

bool take(const Row& row, int column, std::optional<run::Reason>& out) {
  return take_name(row, column, [](std::string_view name) { return run::reason_named(name); }, out);
}

bool take(const Row& row, int column, std::optional<run::Origin>& out) {
  return take_name(row, column, [](std::string_view name) { return run::origin_named(name); }, out);
}

bool take(const Row& row, int column, std::vector<std::string>& out) {
  boost::system::error_code error;
  const json::value value = json::parse(row.text(column), error);
  if (error || !value.is_array()) return false;
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) return false;
    out.emplace_back(item.get_string());
  }
  return true;
}

bool take(const Row& row, int column, std::map<std::string, std::string>& out) {
  const std::string_view text = row.text(column);
  if (text == "{}") return true;
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return false;
  for (const auto& item : value.get_object()) {
    if (!item.value().is_string()) return false;
    out.emplace(item.key(), item.value().get_string());
  }
  return true;
}

}  // namespace drover::store::sqlite
