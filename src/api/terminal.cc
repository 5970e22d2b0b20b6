#include "api/terminal.h"

#include <cstdint>

#include "api/fields.h"
#include "api/resolve.h"
#include "base/journal.h"
#include "process/command.h"
#include "run/spec.h"

namespace drover::api {

std::optional<TerminalSize> terminal_of(const Home& home, const RunId& id) {
  const auto header = process::read_header(home.run_file(id));
  if (!header || header->stdin_mode != process::StdinMode::pty) return std::nullopt;
  const auto probe = probe_journal(home.run_file(id));
  if (probe && probe->text.terminal) return probe->text.terminal->size;
  return TerminalSize{.rows = header->rows, .columns = header->columns};  // It has not begun.
}

boost::json::value describe_terminal(const Home& home, const RunId& id) {
  const auto size = terminal_of(home, id);
  if (!size) return nullptr;
  return {{"rows", size->rows}, {"cols", size->columns}};
}

Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise) {
  std::int64_t rows = otherwise.rows;
  std::int64_t columns = otherwise.columns;
  for (const auto& [name, value] : object) {
    if (name != "rows" && name != "cols") {
      return fail_invalid("pty", "a terminal has rows and cols, and nothing else");
    }
    if (!value.is_int64()) return fail_invalid(std::string(name), "is a whole number, such as 24");
    (name == "rows" ? rows : columns) = value.get_int64();
  }
  return run::terminal_size(rows, columns);
}

Result<std::optional<TerminalSize>> size_in(const Query& query) {
  auto rows = number_in(query, "rows", 0, INT64_MAX);
  if (!rows) return std::unexpected(rows.error());
  auto columns = number_in(query, "cols", 0, INT64_MAX);
  if (!columns) return std::unexpected(columns.error());
  if (!*rows && !*columns) return std::nullopt;
  auto size = run::terminal_size(static_cast<std::int64_t>(rows->value_or(0)),
                                 static_cast<std::int64_t>(columns->value_or(0)));
  if (!size) return std::unexpected(size.error());
  return *size;
}

asio::awaitable<Result<Response>> resize_run(Backing& backing, Request& request) {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Fields fields(request.body);
  fields.number("rows", rows);
  fields.number("cols", columns);
  if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  auto size = run::terminal_size(rows, columns);
  if (!size) co_return std::unexpected(size.error());
  auto record = find_run(backing.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  auto resized = co_await backing.dispatcher.resize(record->id, *size);
  if (!resized) co_return std::unexpected(resized.error());
  co_return answer_json(200, {{"run_id", record->id.view()}, {"rows", rows}, {"cols", columns}});
}

}  // namespace drover::api
