#include "api/runs/find.h"

#include "api/ask.h"
#include "queries/resolve.h"

namespace drover::api {

asio::awaitable<Result<run::Record>> find_run(Services& services, const Request& request,
                                              std::string text) {
  if (const auto id = RunId::parse(text)) {
    if (auto record = services.store.at_hand(*id)) co_return std::move(*record);
  }
  co_return co_await ask(services, request, [text = std::move(text)](store::Reads& store) {
    return queries::find_run(store, text);
  });
}

asio::awaitable<Result<run::Record>> find_run(Services& services, const Request& request) {
  return find_run(services, request, request.subject);
}

asio::awaitable<Result<RunId>> resolve_run(Services& services, const Request& request) {
  if (auto id = RunId::parse(request.subject)) co_return *id;
  co_return co_await ask(services, request, [text = request.subject](store::Reads& store) {
    return queries::resolve(store, text);
  });
}

asio::awaitable<Result<>> check_run(Services& services, Request& request) {
  auto id = co_await ask(services, request,
                         [grant = request.grant, text = request.subject](store::Reads& store) {
                           return queries::resolve_within(store, grant, text);
                         });
  if (!id) co_return std::unexpected(id.error());
  request.subject = id->str();
  co_return Result<>{};
}

asio::awaitable<Error> missing_run(Services& services, const Request& request, RunId id) {
  const auto why = co_await ask(services, request, [id](store::Reads& store) -> Result<> {
    return queries::no_such_run(store, id.view());
  });
  co_return why.error();
}

}  // namespace drover::api
