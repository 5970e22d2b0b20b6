// A SecretSource says where a webhook's secret is: `file:/path` or `env:NAME`. The secret itself is
// never stored. It is read for each request, so that a changed file counts at once. Each line is a
// secret; with two lines, the old and the new secret both work during a rotation. Empty lines are
// skipped, and a line end may be CR LF.
//
// The file must belong to this user, others must not be able to read or replace it, and it has at
// most kSecretBytesMax. No error and no log contains a secret; errors name the source and the fix.
// Reading blocks for one small file; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::triggers {

class SecretSource {
 public:
  // `param` names the field for the error. A relative path is refused: the daemon has another
  // working directory than the shell that wrote it. A text without `file:` or `env:` is not
  // repeated in the error, because it may be the secret.
  static Result<SecretSource> parse(std::string_view text, std::string_view param);

  // At least one secret. Errors are `unavailable`: the request was right, and the machine's owner
  // must fix the source. Reasons: `secret_missing`, `secret_unsafe`, `secret_invalid`.
  Result<std::vector<std::string>> read() const;

  // The name of the variable; empty: the secret is in a file.
  std::string variable() const { return kind_ == Kind::environment ? place_ : ""; }
  std::string text() const;  // "file:/path"; contains no secret.

 private:
  enum class Kind : std::uint8_t { file, environment };
  SecretSource(Kind kind, std::string_view place) : kind_(kind), place_(place) {}
  Result<std::string> read_file() const;
  Result<std::string> read_environment() const;

  Kind kind_;
  std::string place_;  // A path, or the name of a variable.
};

// Pure: the secrets in a text. `source` is for the error.
Result<std::vector<std::string>> split_secrets(std::string_view text, std::string_view source);

}  // namespace drover::triggers
