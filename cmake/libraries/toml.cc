// toml++, compiled once. 3.3 asserts what a file may break (`[!]`): then it throws, and who reads a
// file (config/read_toml.cc) can say so. With NDEBUG it would even be assumed.
#undef NDEBUG
#include <stdexcept>
#define TOML_ASSERT(expr) \
  (static_cast<bool>(expr) ? static_cast<void>(0) : throw std::logic_error("toml++: " #expr))
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
