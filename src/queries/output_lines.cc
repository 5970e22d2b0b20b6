#include "queries/output_lines.h"

#include <algorithm>
#include <utility>

namespace drover::queries {
namespace {

// How far before `resume` an unfinished line may have begun, in lines of the maximum length. A line
// with more of the other stream's output in between is returned without its beginning.
constexpr std::uint64_t kLookBackLines = 4;

// Where to cut a line that is too long: between two characters if the text is valid UTF-8.
size_t cut_in(std::string_view text, size_t most) {
  size_t cut = most;
  while (cut + 4 > most && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

}  // namespace

OutputLines::OutputLines(LineRules rules, std::uint64_t resume)
    : rules_(rules), resume_(resume), begins_(resume) {
  if (rules.by_stream) begins_ -= std::min(begins_, kLookBackLines * rules.bytes_max);
  known_.fill(begins_ == 0 || begins_ == resume_);
}

std::vector<OutputLine> OutputLines::take(const std::vector<OutputPiece>& pieces) {
  Lines out;
  for (const OutputPiece& piece : pieces) {
    if (piece.is_gap()) {
      pass_over(piece, out);
      continue;
    }
    const std::uint64_t end = piece.offset + piece.bytes.size();
    // Split the piece at the resume offset: the part that was read before, and the new part.
    const std::uint64_t middle = std::clamp(resume_, piece.offset, end);
    const std::string_view bytes = piece.bytes;
    add(piece, bytes.substr(0, middle - piece.offset), piece.offset, out);
    if (middle < end && !(known_[0] && known_[1])) {
      for (size_t i = 0; i < lines_.size(); ++i) {
        if (!known_[i]) lines_[i].reset();
      }
      known_.fill(true);
    }
    add(piece, bytes.substr(middle - piece.offset), middle, out);
  }
  return out;
}

std::vector<OutputLine> OutputLines::rest() {
  Lines out;
  finish_all(out);
  return out;
}

// The lines on both sides of a gap are parts: nobody knows where the missing bytes end a line.
void OutputLines::pass_over(const OutputPiece& gap, Lines& out) {
  for (std::optional<Line>& line : lines_) {
    if (line) line->part = true;
  }
  finish_all(out);
  std::ranges::fill(after_gap_, true);
  if (gap.end() <= resume_) return;
  last_end_ = std::max(last_end_ + 1, gap.end());
  out.push_back(
      {.end = last_end_, .time = gap.time, .gap_bytes = gap.gap_bytes, .gap_from = gap.offset});
}

void OutputLines::add(const OutputPiece& piece, std::string_view bytes, std::uint64_t at,
                      Lines& out) {
  if (bytes.empty()) return;
  std::optional<Line>& mine = line(piece.stream);
  const Stream other = piece.stream == Stream::err ? Stream::out : Stream::err;
  if (!rules_.by_stream && line(other)) finish(other, line(other)->end, out);
  while (!bytes.empty()) {
    if (!mine) {
      const bool cut = std::exchange(after_gap_[piece.stream == Stream::err ? 1 : 0], false);
      mine = Line{.end = at, .time = piece.time, .part = cut};
    }
    const size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    mine->bytes += part;
    at += part.size();
    bytes.remove_prefix(part.size());
    if (mine->bytes.size() > rules_.bytes_max)
      cut(piece.stream, part.size(), at - part.size(), out);
    mine->end = at;
    if (newline == std::string_view::npos) break;
    at += 1;
    bytes.remove_prefix(1);
    finish(piece.stream, at, out);
    known_[piece.stream == Stream::err ? 1 : 0] = true;
  }
}

// `added` is how many of its bytes are new; the first of them is at offset `at`.
void OutputLines::cut(Stream stream, size_t added, std::uint64_t at, Lines& out) {
  const Line whole = std::move(*line(stream));
  const std::string_view text = whole.bytes;
  const size_t old = text.size() - added;
  size_t done = 0;
  while (text.size() - done > rules_.bytes_max) {
    const size_t to = done + cut_in(text.substr(done), rules_.bytes_max);
    line(stream) = {.time = whole.time, .bytes = whole.bytes.substr(done, to - done), .part = true};
    finish(stream, to >= old ? at + (to - old) : whole.end - (old - to), out);
    done = to;
  }
  line(stream) = {.time = whole.time, .bytes = whole.bytes.substr(done), .part = true};
}

void OutputLines::finish(Stream stream, std::uint64_t end, Lines& out) {
  Line done = std::move(*line(stream));
  line(stream).reset();
  // An unfinished line is returned last, although it may end before others. `end` must still rise.
  end = std::max(end, last_end_ + 1);
  last_end_ = end;
  if (end <= resume_) return;
  out.push_back({.end = end,
                 .stream = stream,
                 .time = done.time,
                 .text = std::move(done.bytes),
                 .part = done.part});
}

void OutputLines::finish_all(Lines& out) {
  const auto end_of = [&](Stream stream) { return line(stream) ? line(stream)->end : 0; };
  const bool err_first = end_of(Stream::err) < end_of(Stream::out);
  for (const Stream stream :
       {err_first ? Stream::err : Stream::out, err_first ? Stream::out : Stream::err}) {
    if (line(stream)) finish(stream, end_of(stream), out);
  }
}

}  // namespace drover::queries
