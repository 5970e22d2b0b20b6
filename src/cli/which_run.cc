#include "cli/which_run.h"

#include "base/id.h"
#include "cli/fields.h"
#include "wire/operations/runs.h"

namespace drover::cli {

Result<std::string> whole_id(Context& context, const std::string& typed) {
  if (RunId::parse(typed)) return typed;
  const auto record = context.client.ask(wire::runs::get, {.segment = typed});
  if (!record) return std::unexpected(record.error());
  return text_in(*record, "run_id");
}

}  // namespace drover::cli
