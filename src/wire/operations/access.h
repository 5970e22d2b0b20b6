// The operations on access: tokens, and the web page's login and logout.
#pragma once

#include "wire/area.h"

namespace drover::wire::access {

namespace parameters {
inline constexpr auto kLogin = std::to_array<Parameter>({
    {"code", "The code in the one-time link of `drover ui`"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kToken = std::to_array<Answer>(
    {{201, kJson, "TokenMade", "The new token; its text is shown only here"}});
inline constexpr auto kTokens =
    std::to_array<Answer>({answer_ok("Tokens", "All stored tokens and browser sessions")});
inline constexpr auto kRevoked =
    std::to_array<Answer>({answer_ok("TokenRevoked", "The token is revoked")});
inline constexpr auto kUi = std::to_array<Answer>({answer_ok("UiOpened", "A one-time login link")});
inline constexpr auto kLoggedIn = std::to_array<Answer>(
    {{303, "", "", "Redirect to the page, with the cookie of a browser session"}});
inline constexpr auto kLoggedOut = std::to_array<Answer>(
    {answer_ok("LoggedOut", "The browser session is revoked, or there was none")});
inline constexpr auto kFront =
    std::to_array<Answer>({{200, "text/html", "Bytes", "The front page"}});
}  // namespace answers

inline constexpr Operation create_token{
    .name = "tokens.create",
    .method = "POST",
    .path = "/api/tokens",
    .body = Body::json,
    .can = Permission::own,
    .help = "Create a restricted token",
    .takes = "TokenAsked",
    .answers = answers::kToken,
};
inline constexpr Operation list_tokens{
    .name = "tokens.list",
    .method = "GET",
    .path = "/api/tokens",
    .can = Permission::own,
    .help = "List tokens and browser sessions",
    .answers = answers::kTokens,
};
inline constexpr Operation revoke_token{
    .name = "tokens.revoke",
    .method = "DELETE",
    .path = "/api/tokens/{token}",
    .subject = "Id of a token or a browser session",
    .can = Permission::own,
    .help = "Revoke a token or a browser session",
    .answers = answers::kRevoked,
};
inline constexpr Operation open_ui{
    .name = "ui.open",
    .method = "POST",
    .path = "/api/ui",
    .body = Body::json,
    .can = Permission::own,
    .help = "Create a one-time login link, and listen on loopback",
    .takes = "Nothing",
    .answers = answers::kUi,
};
inline constexpr Operation log_in{
    .name = "login",
    .method = "GET",
    .path = "/login",
    .can = Permission::anyone,
    .query = parameters::kLogin,
    .help = "Create a browser session from a one-time code",
    .answers = answers::kLoggedIn,
};
inline constexpr Operation log_out{
    .name = "logout",
    .method = "POST",
    .path = "/api/logout",
    .body = Body::json,
    .can = Permission::anyone,
    .help = "Revoke the browser session of the caller",
    .takes = "Nothing",
    .answers = answers::kLoggedOut,
};
inline constexpr Operation front{
    .name = "front",
    .method = "GET",
    .path = "/",
    .can = Permission::anyone,
    .help = "Show the front page",
    .answers = answers::kFront,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&create_token, &list_tokens, &revoke_token, &open_ui, &log_in, &log_out, &front});
inline constexpr auto kTags =
    std::to_array<Tag>({{"tokens", "Restricted tokens"}, {"ui", "Login to the page"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::access
