// The marks of a run that a test process (a shedder) removes, as bits. The process writes its pid
// to a file named by this number, its child to the same name with a "+".
#pragma once

namespace drover::zoo {

inline constexpr int kShedsEnvironment = 1;
inline constexpr int kShedsSession = 2;
inline constexpr int kShedsGroup = 4;
inline constexpr int kShedsOutput = 8;
inline constexpr int kShedsEverything = 15;

}  // namespace drover::zoo
