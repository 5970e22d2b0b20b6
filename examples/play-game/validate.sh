#!/bin/sh
# The validation: looks at every level and prints what it finds, a JSON object a line. A level that
# cannot be played blocks the pack.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C

bad=0
count=0
for level in assets/levels/*.txt; do
  [ -e "$level" ] || continue
  count=$((count + 1))
  awk -v file="$level" '
    function tell(severity, line, text, blocks) {
      printf "{\"severity\":\"%s\",\"message\":\"%s\",\"file\":\"%s\"", severity, text, file
      if (line > 0) printf ",\"line\":%d", line
      if (blocks) { printf ",\"blocking\":true"; bad = 1 }
      print "}"
    }
    NR == 1 { width = length($0) }
    length($0) != width { tell("error", NR, "this line is not as long as the first", 1) }
    /[^#.DoF]/ { tell("error", NR, "only # . D o F may stand in a level", 1) }
    { drovers += gsub(/D/, "D"); sheep += gsub(/o/, "o"); folds += gsub(/F/, "F") }
    END {
      if (drovers != 1) tell("error", 0, "a level has one drover (D), this one has " drovers + 0, 1)
      if (folds != 1) tell("error", 0, "a level has one fold (F), this one has " folds + 0, 1)
      if (sheep == 0) tell("error", 0, "there are no sheep (o) to bring home", 1)
      else if (!bad) tell("info", 0, sheep " sheep in " NR " rows of " width, 0)
      if (width > 60) tell("warning", 1, "wider than a small terminal", 0)
      exit bad
    }' "$level" || bad=1
done
echo "looked at $count levels"
exit $bad
