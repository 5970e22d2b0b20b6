#!/bin/sh
# The build step: compiles the runtime, and begins build/ anew.
#
# Where the runtime is, is this machine's own affair; a person would write .drover/setup.json by hand.
# Here the build does it, so that `drover play` works in a fresh checkout.
set -eu
cd "$(dirname "$0")"

for compiler in "${CXX:-}" c++ clang++ clang++-19 g++; do
  if [ -n "$compiler" ] && command -v "$compiler" >/dev/null; then break; fi
  compiler=
done
if [ -z "$compiler" ]; then
  echo "there is no C++ compiler here: install g++ or clang, or set CXX" >&2
  exit 1
fi

mkdir -p .drover/bin
if [ ! -x .drover/bin/way-home ] || [ runtime/main.cc -nt .drover/bin/way-home ]; then
  echo "compiling the runtime with $compiler"
  "$compiler" -std=c++17 -O1 -Wall -Wextra -o .drover/bin/way-home.new runtime/main.cc
  mv .drover/bin/way-home.new .drover/bin/way-home
else
  echo "the runtime is up to date"
fi
if [ ! -e .drover/setup.json ]; then
  echo '{"runtimePath": ".drover/bin/way-home"}' > .drover/setup.json
  echo "wrote .drover/setup.json"
fi

rm -rf build
mkdir build
cp assets/title.txt build/title.txt
echo "build/ is ready for the levels"
