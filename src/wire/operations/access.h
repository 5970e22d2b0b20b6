// Who may come in: tokens, and the page's way to log in and out.
#pragma once

#include "wire/area.h"

namespace drover::wire::access {

namespace parameters {
inline constexpr auto kLogin = std::to_array<Parameter>({
    {"code", "from the one-time link of `drover ui`"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kToken = std::to_array<Answer>({{201, kJson, "TokenMade", "told this once"}});
inline constexpr auto kTokens = std::to_array<Answer>({answer_ok("Tokens", "all that are kept")});
inline constexpr auto kRevoked = std::to_array<Answer>({answer_ok("TokenRevoked", "it is dead")});
inline constexpr auto kUi =
    std::to_array<Answer>({answer_ok("UiOpened", "a link that works once")});
inline constexpr auto kLoggedIn =
    std::to_array<Answer>({{303, "", "", "to the page, with a session"}});
inline constexpr auto kLoggedOut =
    std::to_array<Answer>({answer_ok("LoggedOut", "the session is over")});
inline constexpr auto kFront = std::to_array<Answer>({{200, "text/html", "Bytes", "a page"}});
}  // namespace answers

inline constexpr Operation create_token{
    .name = "tokens.create",
    .method = "POST",
    .path = "/api/tokens",
    .body = Body::json,
    .can = Permission::own,
    .help = "make a token that may do less than the owner, for a while",
    .takes = "TokenAsked",
    .answers = answers::kToken,
};
inline constexpr Operation list_tokens{
    .name = "tokens.list",
    .method = "GET",
    .path = "/api/tokens",
    .can = Permission::own,
    .help = "the tokens and sessions there are",
    .answers = answers::kTokens,
};
inline constexpr Operation revoke_token{
    .name = "tokens.revoke",
    .method = "DELETE",
    .path = "/api/tokens/{token}",
    .subject = "the id of a token or a session",
    .can = Permission::own,
    .help = "end a token or a session now",
    .answers = answers::kRevoked,
};
inline constexpr Operation open_ui{
    .name = "ui.open",
    .method = "POST",
    .path = "/api/ui",
    .body = Body::json,
    .can = Permission::own,
    .help = "listen on loopback, and make a one-time link to log in with",
    .takes = "Nothing",
    .answers = answers::kUi,
};
inline constexpr Operation log_in{
    .name = "login",
    .method = "GET",
    .path = "/login",
    .can = Permission::anyone,
    .query = parameters::kLogin,
    .help = "turn a one-time code into a session",
    .answers = answers::kLoggedIn,
};
inline constexpr Operation log_out{
    .name = "logout",
    .method = "POST",
    .path = "/api/logout",
    .body = Body::json,
    .can = Permission::anyone,
    .help = "end the session that asks",
    .takes = "Nothing",
    .answers = answers::kLoggedOut,
};
inline constexpr Operation front{
    .name = "front",
    .method = "GET",
    .path = "/",
    .can = Permission::anyone,
    .help = "what this is, for whoever looks here first",
    .answers = answers::kFront,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&create_token, &list_tokens, &revoke_token, &open_ui, &log_in, &log_out, &front});
inline constexpr auto kTags = std::to_array<Tag>(
    {{"tokens", "keys that may do less than the owner"}, {"ui", "the way to the page"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::access
