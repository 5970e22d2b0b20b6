// drover token: manages tokens with fewer rights than the owner, for a limited time.

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/access.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kCreateOptions = std::to_array<Option>({
    {"scope", 's', Takes::text, "SCOPE", "Allow only runs of this scope and the scopes below it"},
    {"ttl", 0, Takes::text, "DURATION", "Time until the token expires (default 1d)"},
    {"can", 0, Takes::text, "LIST", "Permissions: read, run, cancel (default read)"},
    {"label", 0, Takes::text, "TEXT", "Text that reminds you of the token's purpose"},
});

Result<int> create(Context& context, const Arguments& arguments) {
  object wish;
  for (const char* name : {"scope", "ttl", "can", "label"}) {
    if (const auto text = arguments.text(name)) wish[name] = *text;
  }
  const Result<object> answer =
      context.client.ask(wire::access::create_token, {.body = json_text(wish)});
  if (!answer) return std::unexpected(answer.error());
  const std::string text =
      context.json ? json_text(*answer) + "\n" : text_in(*answer, "token") + "\n";
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  if (!context.json) {
    const std::string scope = text_in(*answer, "scope");
    context.screen.notice(text_in(*answer, "token_id") + " can " + text_in(*answer, "can") +
                          (scope.empty() ? " in every scope" : " in " + scope) + " until " +
                          say_local(parse_rfc3339(text_in(*answer, "expires_at")).value_or(0)) +
                          "; it is not shown again");
  }
  return 0;
}

std::string when(const std::string& time, WallMs now) {
  const auto at = parse_rfc3339(time);
  return at ? say_distance(*at, now) : "-";
}

Result<int> list(Context& context, const Arguments& arguments) {
  const Result<object> answer = context.client.ask(wire::access::list_tokens, {});
  if (!answer) return std::unexpected(answer.error());
  const WallMs now = SystemClock{}.wall_ms();
  Table table({"TOKEN", "KIND", "CAN", "SCOPE", "STATE", "ENDS", "LABEL"}, 6);
  table.may_cut(3, 10);
  table.may_leave_out(1);
  for (const boost::json::value& value : array_in(*answer, "tokens")) {
    if (!value.is_object()) continue;
    const object& token = value.get_object();
    const std::string state = text_in(token, "state");
    if (state != "valid" && !arguments.has("all")) continue;
    const std::string scope = text_in(token, "scope");
    const std::string label = text_in(token, "label");
    table.add({{text_in(token, "token_id"), Color::bold},
               {text_in(token, "kind")},
               {text_in(token, "can")},
               {scope.empty() ? "all" : scope},
               state == "valid" ? Cell{state, Color::green} : Cell{state, Color::dim},
               {when(text_in(token, state == "revoked" ? "revoked_at" : "expires_at"), now)},
               {label.empty() ? "-" : clean(label)}});
  }
  const std::string text = context.json ? json_text(*answer) + "\n" : table.text(context.screen);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> revoke(Context& context, const Arguments& arguments) {
  for (const std::string& id : arguments.words) {
    const Result<object> answer = context.client.ask(wire::access::revoke_token, {.segment = id});
    if (!answer) return std::unexpected(answer.error());
    const std::string text = context.json ? json_text(*answer) : id + " revoked";
    if (auto ok = context.screen.print(text + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return 0;
}

constexpr auto kListOptions = std::to_array<Option>({
    {"all", 'a', Takes::nothing, "", "List revoked and expired tokens too"},
});

}  // namespace

const Command kTokenCreate{
    .name = "token create",
    .words = {},
    .group = Group::access,
    .summary = "Create a restricted token",
    .help =
        "Create a token with restricted permissions and print it once.\n\n"
        "A program uses the token as DROVER_TOKEN in its environment, or sends it over HTTP as "
        "\"Authorization: Bearer TOKEN\".",
    .noun_summary = "Manage access tokens",
    .examples = {{{"drover token create --can read,run --scope ci --ttl 12h",
                   "Let a CI job start runs in the scope ci for 12 hours."}}},
    .options = kCreateOptions,
    .run = create,
};

const Command kTokenLs{
    .name = "token ls",
    .words = {},
    .group = Group::access,
    .summary = "List tokens and browser sessions",
    .help = "List the valid tokens and the sessions of your browsers.",
    .examples = {{{"drover token ls -a", "List revoked and expired tokens too."}}},
    .options = kListOptions,
    .run = list,
};

const Command kTokenRevoke{
    .name = "token revoke",
    .words = "TOKEN_ID…",
    .group = Group::access,
    .summary = "Revoke tokens or sessions",
    .help = "Revoke tokens or sessions at once.",
    .examples = {{{"drover token revoke tok_1f2e3d4c5b6a", "Revoke one token."}}},
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = revoke,
};

}  // namespace drover::cli
