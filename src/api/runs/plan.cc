#include "api/runs/plan.h"

#include "queries/resolve.h"

namespace drover::api {
namespace {

std::vector<std::string> read_names(requests::Fields& fields, std::string_view name) {
  std::vector<std::string> texts;
  if (!fields.has(name)) return texts;
  fields.texts(name, texts);
  // One more than allowed: the spec is refused for it.
  if (texts.size() > limits::kDependenciesMax) texts.resize(limits::kDependenciesMax + 1);
  return texts;
}

std::optional<Error> resolve_all(store::Reads& store, const access::Grant& grant,
                                 const std::vector<std::string>& texts, std::string_view param,
                                 std::vector<RunId>& ids) {
  for (const std::string& text : texts) {
    auto id = queries::resolve_within(store, grant, text);
    if (!id) {
      id.error().param = param;
      return std::move(id.error());
    }
    ids.push_back(*id);
  }
  return std::nullopt;
}

}  // namespace

DependencyNames read_dependencies(requests::Fields& fields) {
  return {.after = read_names(fields, "after"), .after_any = read_names(fields, "after_any")};
}

Result<Dependencies> find_dependencies(store::Reads& store, const access::Grant& grant,
                                       const DependencyNames& names) {
  Dependencies out;
  auto missing = resolve_all(store, grant, names.after, "after", out.after);
  auto any_missing = resolve_all(store, grant, names.after_any, "after_any", out.after_any);
  out.missing = missing ? std::move(missing) : std::move(any_missing);
  // The store could not be read: that says nothing about the runs.
  if (out.missing && out.missing->code == ErrorCode::unavailable) {
    return std::unexpected(std::move(*out.missing));
  }
  return out;
}

}  // namespace drover::api
