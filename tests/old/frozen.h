// The frozen bytes: all that passes between a daemon and a keeper, as the previous release wrote it
// (keeper-1.txt). This header uses the standard library alone, so that the stand-in of an old
// keeper shares no code with the product.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace drover::tests {

// The bytes below "[name]". A line is an offset and up to 16 bytes, as `hexdump` prints them; bytes
// that no line mentions are 0.
inline std::string frozen(const std::string& name) {
  std::ifstream file(DROVER_FROZEN);
  std::string bytes, line;
  bool inside = false, found = false;
  while (std::getline(file, line)) {
    if (line.starts_with('[')) inside = line == "[" + name + "]";
    found |= inside;
    if (!inside || line.empty() || line.starts_with('[') || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    bytes.resize(std::stoul(word, nullptr, 16));
    while (words >> word) bytes += static_cast<char>(std::stoi(word, nullptr, 16));
  }
  if (!found) throw std::runtime_error("no frozen bytes are called " + name);
  return bytes;
}

// The same bytes as text, to compare them line by line in a failed test.
inline std::string dump(const std::string& bytes) {
  std::string text;
  char word[16];
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const std::string row = bytes.substr(at, 16);
    const bool is_last = at + 16 >= bytes.size();
    if (!is_last && row.find_first_not_of('\0') == std::string::npos) continue;
    std::snprintf(word, sizeof word, "%04zx ", at);
    text += word;
    for (const char byte : row) {
      std::snprintf(word, sizeof word, " %02x", static_cast<unsigned char>(byte));
      text += word;
    }
    text += '\n';
  }
  return text;
}

template <class Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.substr(at, sizeof number).data(), sizeof number);
  return number;
}

template <class Number>
void put_number(std::string& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

}  // namespace drover::tests
