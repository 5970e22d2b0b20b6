// The runtime of the game: `way-home run build`, started in the project's root.
//
// It believes build/manifest.json: which files there are, and how large each is. Then it plays the
// levels by itself, always in the same way, and prints what it looks like. C++17 and nothing else.
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "way-home: " << why << std::endl;
  std::exit(1);
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) give_up("cannot open " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct File {
  std::string path;
  std::size_t size = 0;
};

// The manifest has a line for each file; the names of this game's files need no escapes.
struct Manifest {
  std::vector<File> files;
  int frame_ms = 25;
};

std::optional<std::string> after(const std::string& line, const std::string& key) {
  const std::size_t at = line.find("\"" + key + "\":");
  if (at == std::string::npos) return std::nullopt;
  return line.substr(line.find_first_not_of(' ', at + key.size() + 3));
}

Manifest read_manifest(const std::string& folder) {
  Manifest manifest;
  std::ifstream in(folder + "/manifest.json");
  if (!in) give_up("there is no " + folder + "/manifest.json; was the build packed?");
  for (std::string line; std::getline(in, line);) {
    if (const auto ms = after(line, "frame_ms")) manifest.frame_ms = std::atoi(ms->c_str());
    const auto path = after(line, "path");
    const auto size = after(line, "size");
    if (!path || !size) continue;
    manifest.files.push_back(
        {path->substr(1, path->find('"', 1) - 1), std::strtoul(size->c_str(), nullptr, 10)});
  }
  return manifest;
}

struct Place {
  int row = 0;
  int column = 0;
  bool operator==(const Place& other) const { return row == other.row && column == other.column; }
};

class Level {
 public:
  explicit Level(const std::string& text) {
    std::string row;
    for (const char c : text) {
      if (c != '\n') row += c;
      if (c != '\n' || row.empty()) continue;
      rows_.push_back(std::exchange(row, ""));
    }
    if (!row.empty()) rows_.push_back(row);
    each([&](Place place, char& c) {
      if (c == 'D') drover_ = place;
      if (c == 'F') fold_ = place;
      if (c == 'o') sheep_.push_back(place);
      if (c == 'D' || c == 'o') c = '.';
    });
  }

  bool done() const { return sheep_.empty() && following_.empty(); }
  std::size_t home() const { return home_; }

  // One step towards the nearest sheep, or with all of them towards the fold. False: no way there.
  bool step() {
    const Place before = drover_;
    const auto next = towards([&](Place place) {
      if (sheep_.empty()) return place == fold_;
      for (const Place& one : sheep_) {
        if (one == place) return true;
      }
      return false;
    });
    if (!next) return false;
    drover_ = *next;
    following_.insert(following_.begin(), before);
    following_.resize(led_, before);
    for (std::size_t i = 0; i < sheep_.size(); ++i) {
      if (!(sheep_[i] == drover_)) continue;
      sheep_.erase(sheep_.begin() + static_cast<std::ptrdiff_t>(i));
      following_.push_back(before);
      ++led_;
      break;
    }
    if (drover_ == fold_ && sheep_.empty()) {
      home_ += led_;
      led_ = 0;
      following_.clear();
    }
    return true;
  }

  std::string picture() {
    std::vector<std::string> shown = rows_;
    const auto draw = [&](Place place, char c) {
      shown[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)] = c;
    };
    for (const Place& place : sheep_) draw(place, 'o');
    for (const Place& place : following_) draw(place, 'o');
    draw(drover_, 'D');
    std::string out;
    for (const std::string& row : shown) out += "  " + row + "\n";
    return out;
  }

 private:
  template <class Do>
  void each(Do what) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t column = 0; column < rows_[row].size(); ++column) {
        what(Place{static_cast<int>(row), static_cast<int>(column)}, rows_[row][column]);
      }
    }
  }

  bool is_open(Place place) const {
    if (place.row < 0 || place.row >= static_cast<int>(rows_.size())) return false;
    const std::string& row = rows_[static_cast<std::size_t>(place.row)];
    return place.column >= 0 && place.column < static_cast<int>(row.size()) &&
           row[static_cast<std::size_t>(place.column)] != '#';
  }

  // The first step of a shortest way to what is wanted. Always the same: up, left, down, right.
  template <class Wanted>
  std::optional<Place> towards(Wanted wanted) const {
    struct Way {
      Place at;
      Place first;
    };
    std::vector<Place> seen{drover_};
    std::deque<Way> ways{{drover_, drover_}};
    while (!ways.empty()) {
      const Way way = ways.front();
      ways.pop_front();
      if (wanted(way.at)) return way.first;
      for (const Place move : {Place{-1, 0}, Place{0, -1}, Place{1, 0}, Place{0, 1}}) {
        const Place place{way.at.row + move.row, way.at.column + move.column};
        bool is_new = is_open(place);
        for (const Place& one : seen) is_new = is_new && !(one == place);
        if (!is_new) continue;
        seen.push_back(place);
        ways.push_back({place, way.at == drover_ ? place : way.first});
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> rows_;
  Place drover_, fold_;
  std::vector<Place> sheep_;
  std::vector<Place> following_;  // Where those who walk behind the drover are, nearest first.
  std::size_t led_ = 0;
  std::size_t home_ = 0;
};

std::size_t play(const std::string& name, const std::string& text, int frame_ms) {
  constexpr int kStepsMax = 1'000;
  constexpr int kStepsPerFrame = 8;
  Level level(text);
  std::cout << "\n" << name << "\n" << level.picture() << std::flush;
  for (int steps = 1; !level.done(); ++steps) {
    if (!level.step() || steps > kStepsMax) give_up(name + ": the sheep cannot be reached");
    if (steps % kStepsPerFrame != 0 && !level.done()) continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(frame_ms * kStepsPerFrame));
    std::cout << "\n" << level.picture() << std::flush;
  }
  std::cout << name << ": " << level.home() << " sheep are home\n" << std::flush;
  return level.home();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 2 || words[0] != "run") {
    std::cerr << "usage: way-home run FOLDER\n";
    return 2;
  }
  const Manifest manifest = read_manifest(words[1]);
  for (const File& file : manifest.files) {
    const std::size_t size = contents(words[1] + "/" + file.path).size();
    if (size != file.size) {
      give_up(file.path + " has " + std::to_string(size) + " bytes, and the manifest says " +
              std::to_string(file.size));
    }
  }
  std::cout << contents(words[1] + "/title.txt") << std::flush;
  std::size_t home = 0;
  for (const File& file : manifest.files) {
    if (file.path.rfind("levels/", 0) != 0) continue;
    home += play(file.path.substr(7, file.path.rfind('.') - 7),
                 contents(words[1] + "/" + file.path), manifest.frame_ms);
  }
  std::cout << "\nNight falls. " << home << " sheep are in the fold.\n";
  return 0;
}
