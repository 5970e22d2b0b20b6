// inbox and inbox show.
#include "cli/commands/inbox/inbox_view.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"

namespace drover::cli::golden {
namespace {

constexpr std::string_view kOpen = R"([
  {"id":"question_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"escalation","app":null,
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"open","question":"Deploy to production?",
   "choices":["yes","no","only staging"],"context":"All tests are green.\n12 commits since 1.4.2",
   "asked_at":"2026-11-15T09:55:00.000Z","deadline":"2026-11-16T09:55:00.000Z","answer":null},
  {"id":"question_01jcqz5k3m8x2v7n4b9c6d1f0h","type":"escalation","app":"tidy",
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h","state":"open","choices":[],"context":null,
   "question":"Which of the old releases may be removed?","asked_at":"2026-11-12T09:55:00.000Z",
   "deadline":null,"answer":null}])";

constexpr std::string_view kNasty = R"([
  {"id":"question_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"escalation","app":null,
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"open",
   "question":"\u001b[2J訓練 を続けますか？ 検証 ✅ a question that does not fit into one line of any terminal that is narrow",
   "choices":["a choice with quite a long text","another one\u202e with a mark","訓練"],
   "context":"1\n2\n3\n4\n5\n\u0007six\nseven\neight","asked_at":"2026-11-15T09:55:00.000Z",
   "deadline":"2026-11-15T09:59:59.000Z","answer":null},
  {"id":"question_01jcqz5k3m8x2v7n4b9c6d1f0h","type":"escalation","app":null,
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h","state":"answered","question":"Color?",
   "choices":["red","blue"],"context":null,"asked_at":"2026-11-12T09:55:00.000Z",
   "closed_at":"2026-11-12T10:55:00.000Z","deadline":null,
   "answer":{"choice":"red","text":"but a dark one\u001b]0;x\u0007","by":"owner"}},
  {"id":"report_01jcqz5k3m8x2v7n4b9c6d1f0i","type":"output","app":null,
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h","summary":"42 files\u001b[2J are backed up",
   "at":"2026-11-12T11:55:00.000Z","data":{"path":"/a/b.tar"}},
  {"id":"report_01jcqz5k3m8x2v7n4b9c6d1f0j","type":"a type of a newer daemon"},
  {"id":"question_01jcqz5k3m8x2v7n4b9c6d1f0k","type":"escalation","state":"expired",
   "question":"Still there?","closed_at":"2026-11-14T10:00:00.000Z"}])";

}  // namespace

std::vector<GoldenScreen> inbox_screens() {
  const auto page = [](std::string_view json) {
    return
        [entries = array(json)](const Screen& screen) { return inbox_page(entries, screen, kNow); };
  };
  const auto entry = [](std::string_view json, size_t at) {
    return [one = array(json).at(at).as_object()](const Screen& screen) {
      return entry_page(one, screen, kNow);
    };
  };
  return {
      {"inbox", page(kOpen)},
      {"inbox-nasty", page(kNasty)},
      {"inbox-show", entry(kNasty, 0)},
      {"inbox-show-report", entry(kNasty, 2)},
  };
}

}  // namespace drover::cli::golden
