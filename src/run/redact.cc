#include "run/redact.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "run/redact_scan.h"
#include "run/secret_names.h"

namespace drover::run {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

}  // namespace

std::string redact(std::string_view text, const Secrets& secrets) {
  Clues clues;
  return Scan(secrets.hide(text), Scan::Kind::text, clues).run();
}

std::vector<std::string> redact_command(std::span<const std::string> argv, const Secrets& secrets) {
  constexpr size_t kEnough = 8;  // With less room than this an argument is not shown.
  constexpr size_t kMargin = 512;
  std::vector<std::string> out;
  size_t left = limits::kCommandSummaryBytesMax;
  Clues clues;
  for (const std::string& argument : argv) {
    if (left < kEnough) {
      out.emplace_back(kEllipsis);
      break;
    }
    // A long argument is cut first: the part that is not shown need not be scanned. The cut may
    // leave the beginning of a secret, which nothing recognizes, so its surroundings are not shown.
    const size_t margin = std::max(kMargin, secrets.longest());
    const size_t cut = left + margin;
    std::string known = secrets.hide(std::string_view(argument).substr(0, cut));
    if (argument.size() > cut) known.resize(known.size() - std::min(known.size(), margin));
    std::string shown = Scan(known, Scan::Kind::argument, clues).run();
    if (argument.size() > cut) shown += kEllipsis;
    out.push_back(bounded(shown, left));
    left -= std::min(left, out.back().size() + 1);
  }
  return out;
}

std::map<std::string, std::string> redact_labels(const std::map<std::string, std::string>& labels,
                                                 const Secrets& secrets) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : labels) {
    const bool is_secret = names_a_secret(name) && !value.empty() && !is_harmless(value);
    out.emplace(secrets.hide(name), is_secret ? std::string(kRedacted) : redact(value, secrets));
  }
  return out;
}

}  // namespace drover::run
