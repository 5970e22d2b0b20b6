#include "api/runs/terminal.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "api/ask.h"
#include "api/runs/find.h"
#include "api/runs/gap_header.h"
#include "base/journal.h"
#include "base/output_file.h"
#include "process/command.h"
#include "requests/fields.h"
#include "run/spec.h"
#include "screen/screen.h"

namespace drover::api {

namespace {

// A full disk can leave many gaps, and a client reads headers of a few KiB.
constexpr size_t kGapsMax = 64;

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
  const auto journal = read_journal_state(run_file);
  if (!journal || !journal->text.terminal) return {.first = first, .now = first};  // Not started.
  return {.first = first,
          .now = sound(journal->text.terminal->size),
          .since_bytes = journal->text.terminal->since_bytes};
}

// A few bytes can erase or scroll a whole screen, so the budget is looked at often.
Result<> see_in_portions(screen::Screen& screen, std::string_view bytes, const work::Turn& turn) {
  constexpr size_t kPortion = 256;
  while (!bytes.empty()) {
    if (auto ok = turn.check(); !ok) return ok;
    screen.see(bytes.substr(0, kPortion));
    bytes.remove_prefix(std::min(kPortion, bytes.size()));
  }
  return {};
}

// Draws output on a screen, and keeps account of the bytes that it was not drawn from.
class Drawing {
 public:
  Drawing(OutputReader& output, const Terminal& terminal, screen::Screen& screen,
          const work::Turn& turn)
      : output_(output), terminal_(terminal), screen_(screen), turn_(turn) {}

  // Draws the head, where programs set up the terminal, and the tail, within a limit of work.
  Result<> draw() {
    const auto size = output_.size();
    if (!size) return std::unexpected(size.error());
    constexpr std::uint64_t kAll = limits::kScreenHeadBytes + limits::kScreenTailBytes;
    if (*size <= kAll) return draw_to(*size);
    if (auto head = draw_to(limits::kScreenHeadBytes); !head) return head;
    if (const std::uint64_t tail = *size - limits::kScreenTailBytes; tail > next_) skip_to(tail);
    return draw_to(*size);
  }
  std::uint64_t next() const { return next_; }
  const std::vector<ByteGap>& gaps() const { return gaps_; }

 private:
  // In two parts if the size changed in between.
  Result<> draw_to(std::uint64_t end) {
    while (true) {
      if (!resized_ && next_ >= terminal_.since_bytes) {
        screen_.resize(terminal_.now);
        resized_ = true;
      }
      if (next_ >= end) return {};
      const std::uint64_t until = resized_ ? end : std::min(end, terminal_.since_bytes);
      std::uint64_t after = next_;
      auto pieces = output_.read(next_, static_cast<size_t>(until - next_), Stream::both, &after);
      if (!pieces) return std::unexpected(pieces.error());
      if (pieces->empty()) return {};
      for (const OutputPiece& piece : *pieces) {
        if (piece.is_gap()) skip_to(piece.end());
        if (auto ok = see_in_portions(screen_, piece.bytes, turn_); !ok) return ok;
        next_ = piece.end();
      }
      next_ = after;
    }
  }

  void skip_to(std::uint64_t end) {
    if (!gaps_.empty() && gaps_.back().to == next_) {
      gaps_.back().to = end;
    } else {
      gaps_.push_back({.from = next_, .to = end});
      screen_.skip();
    }
    next_ = end;
  }

  OutputReader& output_;
  const Terminal& terminal_;
  screen::Screen& screen_;
  const work::Turn& turn_;
  bool resized_ = false;
  std::uint64_t next_ = 0;
  std::vector<ByteGap> gaps_;
};

// Runs beside the loop.
Result<Response> draw_screen(const Home& home, const run::Record& record, bool ansi,
                             const work::Turn& turn) {
  const RunId& id = record.id;
  const std::string file = home.run_file(id);
  const auto header = process::read_header(file);
  if (!header || header->stdin_mode != process::StdinMode::pty) {
    return fail(ErrorCode::conflict, "no_terminal",
                id.str() + " has no terminal; read its logs instead", "run_id");
  }
  const Terminal terminal = terminal_in(file, *header);
  screen::Screen screen(terminal.first);
  OutputReader output(home.run_directory(id));
  if (run::is_finished(record.state)) {
    output.expect(static_cast<std::uint64_t>(record.stdout_bytes + record.stderr_bytes));
  }
  Drawing drawing(output, terminal, screen, turn);
  if (auto ok = drawing.draw(); !ok) return std::unexpected(ok.error());
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = ansi ? screen.redraw() : screen.text();
  for (const ByteGap& gap : drawing.gaps() | std::views::take(kGapsMax)) add_gap(response, gap);
  response.headers.emplace_back("Drover-Next-Offset", std::to_string(drawing.next()));
  return response;
}

}  // namespace

void describe_times(boost::json::object& out, const RunTimes& times) {
  out["stdin"] = "none";
  out["pty"] = nullptr;
  if (times.timeout_ms != 0) out["timeout_ms"] = times.timeout_ms;
  if (times.idle_timeout_ms != 0) out["idle_timeout_ms"] = times.idle_timeout_ms;
  out["grace_ms"] = times.grace_ms;
}

void describe_run_file(boost::json::object& out, const Home& home, const RunId& id) {
  out["stdin"] = "none";
  out["pty"] = nullptr;
  const std::string file = home.run_file(id);
  const auto header = process::read_header(file);
  if (!header) return;
  describe_times(out, {.timeout_ms = header->timeout_ms,
                       .idle_timeout_ms = header->idle_timeout_ms,
                       .grace_ms = header->grace_ms});
  if (header->stdin_mode == process::StdinMode::none) return;
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
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  const bool ansi = *format && **format == "ansi";
  co_return co_await work(
      services, request,
      [home = services.home, record = std::move(*record), ansi](const work::Turn& turn) {
        return draw_screen(home, record, ansi, turn);
      },
      limits::kScreenBytesMax);
}

asio::awaitable<Result<Response>> resize_run(Services& services, Request& request) {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  requests::Fields fields(request.body);
  fields.number("rows", rows);
  fields.number("cols", columns);
  if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  auto size = run::terminal_size(rows, columns);
  if (!size) co_return std::unexpected(size.error());
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  auto resized = co_await services.dispatcher.resize(record->id, *size);
  if (!resized) co_return std::unexpected(resized.error());
  co_return answer_json(200, {{"run_id", record->id.view()}, {"rows", rows}, {"cols", columns}});
}

}  // namespace drover::api
