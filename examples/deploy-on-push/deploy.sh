#!/bin/sh
# The command of the trigger: checks the pushed commit out into $SITE. DROVER_TRIGGER has the event.
set -eu
commit=$(printf %s "$DROVER_TRIGGER" | jq -r .event.payload.after)
git --git-dir="$REPOSITORY" --work-tree="$SITE" checkout -qf "$commit" -- .
echo "deployed $commit"
