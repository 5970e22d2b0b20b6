// Permission to be the exact reader of a run (queries/exact_readers.h). Such a reader can make the
// run wait, so it must be allowed to cancel the run, or be the token that started it for itself:
// its id is in the note of the run's file.
#pragma once

#include "access/grant.h"
#include "base/home.h"
#include "base/result.h"
#include "run/spec.h"

namespace drover::api {

// Checks a submission that asks for exact output. A caller that may not read the output is refused:
// its run would wait for a reader forever. If the caller is a token that may not cancel, its id is
// noted in `spec`.
Result<> note_exact_reader(const access::Grant& grant, run::Spec& spec);

// Whether the caller may read this run exactly. The error is `forbidden`.
Result<> check_exact_reader(const access::Grant& grant, const access::TargetRun& target,
                            const Home& home);

}  // namespace drover::api
