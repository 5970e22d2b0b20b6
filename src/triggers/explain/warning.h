// A warning says why a trigger may not fire although nothing is wrong with its fields: the secret
// of its webhook cannot be read, its last polls failed, or its files cannot be watched. It is for
// people, and contains no secret.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "store/reads.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"

namespace drover::triggers {

// Empty: there is none. Reads the file of a webhook's secret; any thread. `of_files` are the
// warnings of the watches, by trigger (FileTriggers::warnings).
Result<std::string> warning_of(store::Reads& store, const StoredTrigger& trigger,
                               const TriggerSpec& spec,
                               const std::map<std::string, std::string>& of_files);

}  // namespace drover::triggers
