// What a shedder has shed of what a run's processes are recognized by; a set of bits. The names of
// the files in which shedders leave their pids are these numbers; those of their children have a
// "+" behind them.
#pragma once

namespace drover::zoo {

inline constexpr int kShedsEnvironment = 1;
inline constexpr int kShedsSession = 2;
inline constexpr int kShedsGroup = 4;
inline constexpr int kShedsOutput = 8;
inline constexpr int kShedsEverything = 15;

}  // namespace drover::zoo
