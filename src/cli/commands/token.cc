// drover token: manages tokens with fewer rights than the owner, for a limited time.

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/tokens_table.h"
#include "cli/views/words.h"
#include "wire/operations/access.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kCreateOptions = std::to_array<Option>({
    {"scope", 's', Takes::text, "SCOPE", "Allow only runs of this scope and the scopes below it",
     "scope"},
    {"ttl", 0, Takes::text, "DURATION", "Time until the token expires (default 1d)", "ttl"},
    {"can", 0, Takes::text, "LIST", "Permissions: read, run, cancel (default read)", "can"},
    {"label", 0, Takes::text, "TEXT", "Text that reminds you of the token's purpose", "label"},
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

Result<int> list(Context& context, const Arguments& arguments) {
  const Result<object> answer = context.client.ask(wire::access::list_tokens, {});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json
                               ? json_text(*answer) + "\n"
                               : tokens_table(array_in(*answer, "tokens"), arguments.has("all"),
                                              context.screen, SystemClock{}.wall_ms());
  if (text.empty()) {
    context.screen.notice("there are no valid tokens; `drover token create` creates one");
    return 0;
  }
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
                   "Let a CI job start runs in the scope ci for 12 hours."},
                  {"drover token create --label dashboard --ttl 30d",
                   "Let a program read all runs for 30 days."}}},
    .options = kCreateOptions,
    .run = create,
};

const Command kTokenLs{
    .name = "token ls",
    .words = {},
    .group = Group::access,
    .summary = "List tokens and browser sessions",
    .help = "List the valid tokens and browser sessions.",
    .examples = {{{"drover token ls -a", "List revoked and expired tokens too."},
                  {"drover token ls", "List the tokens and browser sessions that are valid."}}},
    .options = kListOptions,
    .run = list,
};

const Command kTokenRevoke{
    .name = "token revoke",
    .words = "TOKEN_ID…",
    .group = Group::access,
    .summary = "Revoke tokens or browser sessions",
    .help = "Revoke tokens or browser sessions immediately.",
    .examples = {{{"drover token revoke tok_1f2e3d4c5b6a", "Revoke one token."},
                  {"drover token revoke tok_1f2e3d4c5b6a tok_0a9b8c7d6e5f", "Revoke two tokens."}}},
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = revoke,
};

}  // namespace drover::cli
