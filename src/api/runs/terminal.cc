#include "api/runs/terminal.h"

#include <algorithm>
#include <cstdint>

#include "api/http/fields.h"
#include "base/journal.h"
#include "base/output_file.h"
#include "process/command.h"
#include "queries/resolve.h"
#include "run/spec.h"
#include "screen/screen.h"

namespace drover::api {

namespace {

// The first and the current (or last) size of a run's terminal.
struct Terminal {
  TerminalSize first, now;
  std::uint64_t since_bytes = 0;  // The output before this offset was printed for an earlier size.
};

Terminal terminal_in(const std::string& run_file, const process::CommandHeader& header) {
  // The files may be damaged, and the size determines how much memory a screen takes.
  const auto sound = [](const TerminalSize& size) {
    return run::terminal_size(size.rows, size.columns)
        .value_or(TerminalSize{limits::kTerminalRows, limits::kTerminalColumns});
  };
  const TerminalSize first = sound({.rows = header.rows, .columns = header.columns});
  const auto probe = probe_journal(run_file);
  if (!probe || !probe->text.terminal) return {.first = first, .now = first};  // Not started.
  return {.first = first,
          .now = sound(probe->text.terminal->size),
          .since_bytes = probe->text.terminal->since_bytes};
}

// Draws the head, where programs set up the terminal, and the tail, within a limit of work.
Result<std::uint64_t> draw(OutputReader& output, const Terminal& terminal, screen::Screen& screen) {
  const auto size = output.size();
  if (!size) return std::unexpected(size.error());
  bool resized = false;
  // Draws a range of bytes, in two parts if the size changed in between.
  const auto see = [&](std::uint64_t from, std::uint64_t to) -> Result<std::uint64_t> {
    while (true) {
      if (!resized && from >= terminal.since_bytes) {
        screen.resize(terminal.now);
        resized = true;
      }
      if (from >= to) return from;
      const std::uint64_t until = resized ? to : std::min(to, terminal.since_bytes);
      auto pieces = output.read(from, static_cast<size_t>(until - from), Stream::both, &from);
      if (!pieces) return std::unexpected(pieces.error());
      if (pieces->empty()) return from;
      for (const OutputPiece& piece : *pieces) screen.see(piece.bytes);
    }
  };
  constexpr std::uint64_t kAll = limits::kScreenHeadBytes + limits::kScreenTailBytes;
  if (*size <= kAll) return see(0, *size);
  if (auto head = see(0, limits::kScreenHeadBytes); !head) return head;
  screen.skip();
  return see(*size - limits::kScreenTailBytes, *size);
}

}  // namespace

void describe_no_input(boost::json::object& out) {
  out["stdin"] = "none";
  out["pty"] = nullptr;
}

void describe_input(boost::json::object& out, const Home& home, const RunId& id) {
  describe_no_input(out);
  const std::string file = home.run_file(id);
  const auto header = process::read_header(file);
  if (!header || header->stdin_mode == process::StdinMode::none) return;
  const bool is_pty = header->stdin_mode == process::StdinMode::pty;
  out["stdin"] = is_pty ? "pty" : "pipe";
  if (!is_pty) return;
  const TerminalSize size = terminal_in(file, *header).now;
  out["pty"] = {{"rows", size.rows}, {"cols", size.columns}};
}

Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise) {
  std::int64_t rows = otherwise.rows;
  std::int64_t columns = otherwise.columns;
  for (const auto& [name, value] : object) {
    if (name != "rows" && name != "cols") {
      return fail_invalid("pty", "pty accepts only rows and cols");
    }
    if (!value.is_int64())
      return fail_invalid(std::string(name),
                          std::string(name) + " must be a whole number, such as 24");
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

asio::awaitable<Result<Response>> show_screen(Services& services, Request& request) {
  auto format = text_in(request.query, "format");
  if (!format) co_return std::unexpected(format.error());
  if (*format && **format != "text" && **format != "ansi") {
    co_return fail_invalid("format", "format must be text or ansi");
  }
  auto record = queries::find_run(services.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  const std::string file = services.home.run_file(record->id);
  const auto header = process::read_header(file);
  if (!header || header->stdin_mode != process::StdinMode::pty) {
    co_return fail(ErrorCode::conflict, "no_terminal",
                   record->id.str() + " has no terminal; read its logs instead", "run_id");
  }
  const Terminal terminal = terminal_in(file, *header);
  screen::Screen screen(terminal.first);
  OutputReader output(services.home.run_directory(record->id));
  auto next = draw(output, terminal, screen);
  if (!next) co_return std::unexpected(next.error());
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = *format && **format == "ansi" ? screen.redraw() : screen.text();
  response.headers.emplace_back("Drover-Next-Offset", std::to_string(*next));
  co_return response;
}

asio::awaitable<Result<Response>> resize_run(Services& services, Request& request) {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Fields fields(request.body);
  fields.number("rows", rows);
  fields.number("cols", columns);
  if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  auto size = run::terminal_size(rows, columns);
  if (!size) co_return std::unexpected(size.error());
  auto record = queries::find_run(services.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  auto resized = co_await services.dispatcher.resize(record->id, *size);
  if (!resized) co_return std::unexpected(resized.error());
  co_return answer_json(200, {{"run_id", record->id.view()}, {"rows", rows}, {"cols", columns}});
}

}  // namespace drover::api
