#!/bin/sh
# The pack: the levels, in the order of their names, as the runtime finds them.
set -eu
cd "$(dirname "$0")"
mkdir -p build/levels
for level in assets/levels/*.txt; do
  cp "$level" "build/levels/${level##*/}"
  echo "packed ${level##*/}"
done
