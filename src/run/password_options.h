// The password options of well-known programs whose names say nothing: mysql -pX, sshpass -p X,
// redis-cli -a X. The same option of another program is harmless: ssh -p 22. The table is in the
// .cc file.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::run {

enum class PasswordForm : std::uint8_t {
  none,
  attached,  // -pX; with a blank in between, -p has no value.
  separate,  // -p X, -pX, -p=X
  exact,     // Only -p X: other options begin with the same letter.
  user,      // As separate, and X is user:password.
  owner,     // Not a password option: X is user:group, as in docker run -u node:node.
  cookie,    // As separate, if X is name=value; otherwise it is a file.
};

// A password option of a program: one row of the table. A program may have several rows.
struct PasswordProgram {
  std::string_view name;
  std::string_view after;  // The word before the name, such as docker login; empty: any.
  std::string_view option;
  PasswordForm form;
  bool starts_another = false;  // Its first plain word is a program with options of its own.
  std::string_view flags = {};  // Letters without a value, which may stand before it: curl -sSu X.
};

// The program that `word` names; null: it has no such options. `before` is the previous word.
const PasswordProgram* password_program(std::string_view word, std::string_view before);

// The password option of `program` that `word` (-pX) begins with. `length` is that of the option.
PasswordForm password_option(const PasswordProgram& program, std::string_view word, size_t& length);

}  // namespace drover::run
