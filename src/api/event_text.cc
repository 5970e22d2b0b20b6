#include "api/event_text.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace drover::api {
namespace {

void quote(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  size_t plain = 0;  // Runs of ordinary characters are copied whole.
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text.substr(plain));
  out += '"';
}

bool adjoin(const OutputPiece& first, const OutputPiece& second) {
  return first.stream == second.stream && first.offset + first.bytes.size() == second.offset;
}

// How many bytes at the end of `text` begin a character and do not finish it.
size_t unfinished(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c < 0xC0) continue;  // In the middle of one.
    const size_t size = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}

}  // namespace

void append_json(std::string& out, const run::Event& event, std::string_view cursor) {
  out.append("{\"cursor\":\"").append(cursor);
  out.append("\",\"seq\":").append(std::to_string(event.seq));
  out.append(",\"run_id\":\"").append(event.run_id.view());
  out.append("\",\"run_seq\":").append(std::to_string(event.run_seq)).append(",\"type\":");
  quote(out, event.type);
  out.append(",\"time\":\"").append(rfc3339(event.time)).append("\",\"trace_id\":");
  quote(out, event.trace_id);
  out.append(",\"scope\":");
  quote(out, event.scope);
  out.append(",\"data\":").append(event.data.empty() ? "{}" : event.data).append("}");
}

void append_json(std::string& out, const OutputPiece& piece, std::string_view run_id) {
  out += '{';
  if (!run_id.empty()) out.append("\"run_id\":\"").append(run_id).append("\",");
  out.append("\"stream\":\"").append(piece.stream == Stream::err ? "stderr" : "stdout");
  out.append("\",\"offset\":").append(std::to_string(piece.offset));
  out.append(",\"time\":\"").append(rfc3339(piece.time));
  if (is_utf8(piece.bytes)) {
    out.append("\",\"text\":");
    quote(out, piece.bytes);
  } else {
    out.append("\",\"base64\":\"").append(base64(piece.bytes)).append("\"");
  }
  out += '}';
}

void append_frame(std::string& out, std::string_view cursor, std::string_view type,
                  std::string_view data) {
  out.append("id: ").append(cursor).append("\nevent: ").append(type);
  out.append("\ndata: ").append(data).append("\n\n");
}

std::optional<std::uint64_t> mend(std::vector<OutputPiece>& pieces, bool more) {
  std::optional<std::uint64_t> held;
  for (size_t i = 0; i < pieces.size(); ++i) {
    OutputPiece& piece = pieces[i];
    const size_t rest = unfinished(piece.bytes);
    if (rest == 0) continue;
    if (i + 1 < pieces.size()) {
      OutputPiece& next = pieces[i + 1];
      if (!adjoin(piece, next)) continue;
      next.bytes.insert(0, piece.bytes, piece.bytes.size() - rest);
      next.offset -= rest;
    } else if (more) {
      held = piece.offset + piece.bytes.size() - rest;
    } else {
      continue;
    }
    piece.bytes.resize(piece.bytes.size() - rest);
  }
  std::erase_if(pieces, [](const OutputPiece& piece) { return piece.bytes.empty(); });
  return held;
}

void join(std::vector<OutputPiece>& pieces, size_t bytes_max) {
  size_t last = 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    OutputPiece& into = pieces[last];
    if (adjoin(into, pieces[i]) && into.time == pieces[i].time &&
        into.bytes.size() + pieces[i].bytes.size() <= bytes_max) {
      into.bytes += pieces[i].bytes;
    } else if (++last != i) {
      pieces[last] = std::move(pieces[i]);
    }
  }
  if (!pieces.empty()) pieces.resize(last + 1);
}

}  // namespace drover::api
