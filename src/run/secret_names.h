// The names under which secrets are stored: of variables, options, parameters, headers and fields.
// The tables are in the .cc file. Pure.
#pragma once

#include <string_view>

namespace drover::run {

// Whether a variable, option or parameter of this name holds a secret: API_TOKEN, --password.
bool names_a_secret(std::string_view name);

// Names that hold a secret only in one position: an option (--auth VALUE), before an equals sign
// (key=VALUE), a parameter of a URL (&sig=VALUE).
bool names_a_secret_option(std::string_view name);
bool names_an_assigned_secret(std::string_view name);
bool names_a_secret_parameter(std::string_view name);

// A header whose whole value is secret, whatever its scheme is: Authorization, Cookie.
bool names_a_secret_header(std::string_view name);

// An option whose value is user:password: -u, --user.
bool names_a_user(std::string_view option);

// A word that SQL and .netrc files put before a quoted password.
bool names_a_password(std::string_view word);

// A value that says that there is no secret, or whether there is one: null, true.
bool is_harmless(std::string_view value);

}  // namespace drover::run
