// A keeper's report about the end of a run becomes a fact, a record and JSON. Whatever the numbers
// and names in it are, the run finishes, and its record can be shown and stored.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "run/record_json.h"
#include "run/transition.h"

namespace drover::fuzz {

inline const RunId kRun = *RunId::parse("run_01hf7yat00000000000000000z");

inline run::Record starting_record() {
  run::Record record;
  record.id = kRun;
  record.kind = "command";
  record.state = run::State::starting;
  record.command = {"make", "test"};
  record.queued_at = 100;
  return record;
}

inline void expect_json(const boost::json::object& shown) {
  const std::string text = boost::json::serialize(shown);
  if (!is_utf8(text) || boost::json::parse(text).as_object() != shown) std::abort();
}

inline void expect_recordable(const run::Ended& ended) {
  const run::Record before = starting_record();
  const auto change = run::apply(&before, ended, {.wall_ms = 500, .mono_ns = 1'000});
  if (!change || !run::is_finished(change->after.state)) std::abort();
  expect_json(run::describe(change->after, run::only_commands()));
  expect_json(run::describe_end(change->after));
  if (ended.receipt) expect_json(run::describe(*ended.receipt));
  for (const run::Event& event : change->events) (void)boost::json::parse(event.data);
}

}  // namespace drover::fuzz
