// Stores the values of a record in columns, and reads them back. A value that cannot be read was
// not written by Drover.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/record.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

std::string text_of(const std::vector<std::string>& list);
std::string text_of(const std::map<std::string, std::string>& map);

// Binds one value after another. It owns the texts that it creates, so it must live until the
// statement has run.
class Binder {
 public:
  explicit Binder(Statement& statement) : statement_(statement) {}

  template <std::integral T>
  void add(T value) {
    statement_.bind(++index_, value);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void add(Enum value) {
    statement_.bind(++index_, static_cast<int>(value));
  }
  void add(std::string_view text) { statement_.bind(++index_, text); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const RunId& id) { add(id.view()); }
  void add(const std::optional<int>& value) { statement_.bind(++index_, value); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void add(const std::optional<Enum>& value) {  // By name: people read such columns.
    statement_.bind(++index_, value ? std::optional(name(*value)) : std::nullopt);
  }
  void add(const std::vector<std::string>& list) { keep(text_of(list)); }
  void add(const std::map<std::string, std::string>& map) { keep(text_of(map)); }

  void keep(std::string text) { add(std::string_view(kept_.emplace_back(std::move(text)))); }

 private:
  Statement& statement_;
  int index_ = 0;
  std::list<std::string> kept_;
};

// False: Drover does not write such a value.
bool take(const Row& row, int column, std::int64_t& out);
bool take(const Row& row, int column, int& out);
bool take(const Row& row, int column, bool& out);
bool take(const Row& row, int column, std::string& out);
bool take(const Row& row, int column, RunId& out);
bool take(const Row& row, int column, std::optional<int>& out);
bool take(const Row& row, int column, run::State& out);
bool take(const Row& row, int column, run::OnRestart& out);
bool take(const Row& row, int column, LaunchStep& out);
bool take(const Row& row, int column, std::optional<run::Reason>& out);
bool take(const Row& row, int column, std::optional<run::Origin>& out);
bool take(const Row& row, int column, std::vector<std::string>& out);
bool take(const Row& row, int column, std::map<std::string, std::string>& out);

}  // namespace drover::store::sqlite
