// How a composite submits its children and finds the existing ones.
#include <algorithm>
#include <iterator>

#include "conduct/composite.h"
#include "conduct/pause.h"

namespace drover::conduct {
namespace {

constexpr int kAskTries = 40;  // Twenty seconds for a full disk.
constexpr size_t kPage = 100;

}  // namespace

asio::awaitable<Result<std::optional<RunId>>> Composite::ask(std::string key, MakeSpec make) {
  for (int tries = 1;; ++tries) {
    auto own = own_command();
    auto spec = own ? make(*own) : Result<std::optional<run::Spec>>(std::unexpected(own.error()));
    if (spec && !*spec) co_return std::nullopt;
    const auto child = spec ? co_await submit(key, std::move(**spec), std::move(own->environment))
                            : Result<RunId>(std::unexpected(spec.error()));
    if (child) co_return *child;
    const Error& error = child.error();
    const bool may_pass = error.code == ErrorCode::unavailable && error.reason != "stopping";
    if (!may_pass || tries == kAskTries) co_return std::unexpected(error);
    co_await pause(parts_.loop);
  }
}

asio::awaitable<Result<RunId>> Composite::submit(const std::string& key, run::Spec spec,
                                                 std::vector<std::string> environment) {
  spec.scope = scope_;
  spec.name = key;
  spec.parent_run_id = id_.str();
  spec.trace_id = trace_id_;
  spec.key = script_.kind + ":" + id_.str() + ":" + key;
  for (const auto& [name, value] : spec.env) {
    std::erase_if(environment, [&](const std::string& v) { return v.starts_with(name + "="); });
    // Drover's own programs are on the PATH of every run (R15).
    environment.push_back(name + "=" + value + (name == "PATH" ? ":" + parts_.programs : ""));
  }
  secrets_.add(environment);
  const std::string digest = spec.key;
  auto written = co_await parts_.dispatcher.submit(
      {.spec = std::move(spec), .environment = std::move(environment), .digest = digest});
  if (!written) co_return std::unexpected(written.error());
  co_return written->record.id;
}

// A child is recorded after its parent and has a higher number, so no older run needs to be read.
asio::awaitable<std::vector<run::Record>> Composite::children() {
  std::vector<run::Record> out;
  store::Query query{.scope = scope_, .scope_alone = true, .limit = kPage};
  for (;;) {
    auto page = co_await parts_.reads.ask(
        store::daemon_itself(), [query](store::Reads& store) { return store.list(query); });
    if (!page) {
      co_await pause(parts_.loop);
      continue;
    }
    const bool last = page->size() < kPage || page->back().number <= number_;
    if (!page->empty()) query.before = page->back().number;
    std::ranges::copy_if(std::move(*page), std::back_inserter(out),
                         [this](const run::Record& run) { return is_own(run); });
    if (last) co_return out;
  }
}

}  // namespace drover::conduct
