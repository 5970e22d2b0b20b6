#include "run/secret_tokens.h"

#include <algorithm>
#include <array>

#include "run/characters.h"

namespace drover::run {
namespace {

// How tokens of one kind begin, and how many characters must follow. Where ordinary words begin
// the same way (pypi-publish), one of these characters must be a digit or a capital letter.
struct Shape {
  std::string_view begin;
  size_t rest;
  bool is_mixed = false;
};

constexpr auto kShapes = std::to_array<Shape>({
    {"dro_", 16},
    // Forges and registries.
    {"ghp_", 20},
    {"gho_", 20},
    {"ghu_", 20},
    {"ghs_", 20},
    {"ghr_", 20},
    {"github_pat_", 20},
    {"glpat-", 16},
    {"glptt-", 16},
    {"gldt-", 16},
    {"glrt-", 16},
    {"glcbt-", 16},
    {"glimt-", 16},
    {"glagent-", 16},
    {"gloas-", 16},
    {"glft-", 16},
    {"rubygems_", 20},
    {"BBDC-", 20},
    {"ATBB", 20, true},
    {"npm_", 20, true},
    {"pypi-", 16, true},
    {"dckr_pat_", 16},
    {"ATATT3", 20},
    {"ATCTT3", 20},
    // Models.
    {"sk-", 16},
    {"hf_", 20, true},
    {"gsk_", 20, true},
    {"xai-", 20, true},
    {"pplx-", 20, true},
    {"r8_", 20, true},
    {"nvapi-", 20, true},
    {"tgp_v1_", 20},
    {"lsv2_pt_", 20},
    {"lsv2_sk_", 20},
    {"tvly-", 20, true},
    {"jina_", 20, true},
    // Clouds.
    {"AKIA", 16},
    {"ASIA", 16},
    {"AIza", 30},
    {"ya29.", 16},
    {"GOCSPX-", 16},
    {"LTAI", 12, true},
    {"dop_v1_", 20},
    {"doo_v1_", 20},
    {"dor_v1_", 20},
    {"dapi", 32, true},
    {"pul-", 20, true},
    {"nfp_", 20, true},
    {"fm1_", 20, true},
    {"fm2_", 20, true},
    {"fo1_", 20, true},
    {"rnd_", 20, true},
    {"atlasv1.", 20, true},
    {"pscale_tkn_", 16},
    {"pscale_pw_", 16},
    {"dp.st.", 16, true},
    {"dp.pt.", 16, true},
    {"hvs.", 20},
    {"hvb.", 20},
    {"tskey-", 16, true},
    {"sbp_", 20, true},
    // Payment, mail, chat, shops, monitoring.
    {"sk_live_", 10},
    {"sk_test_", 10},
    {"rk_live_", 10},
    {"rk_test_", 10},
    {"whsec_", 16},
    {"SG.", 20, true},
    {"xoxa-", 10},
    {"xoxb-", 10},
    {"xoxc-", 10},
    {"xoxd-", 10},
    {"xoxe-", 10},
    {"xoxp-", 10},
    {"xoxr-", 10},
    {"xoxs-", 10},
    {"xapp-", 10},
    {"shpat_", 16},
    {"shpca_", 16},
    {"shppa_", 16},
    {"shpss_", 16},
    {"glsa_", 20},
    {"glc_", 20, true},
    {"dt0c01.", 20, true},
    {"key-", 32, true},  // Mail.
    {"xkeysib-", 20, true},
    {"sq0atp-", 16},
    {"sq0csp-", 16},
    {"figd_", 20, true},
    {"ntn_", 20, true},
    {"sntrys_", 20},
    {"PMAK-", 20},
    {"NRAK-", 20},
    {"lin_api_", 16},
    {"AGE-SECRET-KEY-1", 20},
    {"eyJ", 16},  // A JSON web token.
});

// The characters that tokens begin with.
constexpr auto kBegins = [] {
  std::array<bool, 256> out{};
  for (const Shape& shape : kShapes) out[static_cast<unsigned char>(shape.begin.front())] = true;
  return out;
}();
constexpr size_t kShortest = 13;  // No token is shorter.
constexpr size_t kLooked = 64;

bool begins_token(std::string_view word) {
  return std::ranges::any_of(kShapes, [&](const Shape& shape) {
    if (!word.starts_with(shape.begin)) return false;
    const std::string_view rest = word.substr(shape.begin.size());
    if (rest.size() < shape.rest || !shape.is_mixed) return rest.size() >= shape.rest;
    // Not all of a long word: that would be quadratic in words such as hf_hf_hf_.
    return std::ranges::any_of(rest.substr(0, kLooked),
                               [](char c) { return is_digit(c) || is_upper(c); });
  });
}

}  // namespace

size_t token_in(std::string_view word, size_t end) {
  for (size_t at = 0; at < end && at + kShortest <= word.size(); ++at) {
    const bool begins = at == 0 || !(is_letter(word[at - 1]) || is_digit(word[at - 1]));
    if (begins && kBegins[static_cast<unsigned char>(word[at])] && begins_token(word.substr(at)))
      return at;
  }
  return std::string_view::npos;
}

}  // namespace drover::run
