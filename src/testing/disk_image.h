// A DiskImage follows what is written to some files, and knows what each of them could hold if the
// power went out now: what was synced is there, and of the rest nothing, everything, or any part.
//
// It models what file systems promise and no more. A write is durable once its file was synced
// after it; until then it survives or not, whatever became of the writes around it, and perhaps
// only some of its sectors do. Names are durable in the order in which they changed, and all of
// them once a new file was synced, with its directory, as SQLite does; all files stand in one
// directory. It touches no file after it has first looked at it. Copies are cheap: a test keeps one
// for each call. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drover::testing {

// What the power cut left of what was not synced.
struct PowerCut {
  enum class Keeps : std::uint8_t {
    nothing,
    everything,
    some,   // By the dice; `number` is the seed.
    first,  // The first `number` changes, and nothing after them: a disk that keeps order.
  };
  Keeps keeps = Keeps::nothing;
  std::uint64_t number = 0;
};

class DiskImage {
 public:
  using Files = std::map<std::string, std::string>;  // By path. A file that is not there is absent.

  // The file at `path` is about to be used. What it holds when it is first seen is durable.
  void open(const std::string& path);
  void write(const std::string& path, std::int64_t offset, std::string_view bytes);
  void truncate(const std::string& path, std::int64_t size);
  void remove(const std::string& path);
  void sync(const std::string& path);
  // A sync that failed and took its writes along: they are read as if they were there, but no later
  // sync saves them (on Linux a page whose writing failed counts as clean).
  void lose(const std::string& path);

  Files after(const PowerCut& cut) const;
  std::uint64_t changes() const { return changes_; }  // Since it began.

 private:
  using Bytes = std::shared_ptr<const std::string>;
  struct Change {
    enum class Kind : std::uint8_t { write, truncate, create, remove };
    Kind kind = Kind::write;
    std::uint64_t order = 0;
    std::int64_t at = 0;
    Bytes bytes = {};
  };
  struct File {
    Bytes saved;  // Null: there is no such file.
    std::vector<Change> pending;
  };
  class Dice;

  void add(File& file, Change change);
  void sync_names();
  static bool renames(const Change& change);
  static bool exists(const File& file);
  static Bytes survivor(const File& file, const PowerCut& cut, Dice& dice);
  static void apply(std::string& content, const Change& change, Dice* tear);

  std::map<std::string, File> files_;
  std::uint64_t changes_ = 0;
};

// Lays `files` down in `directory`, under the last part of their names.
void lay_down(const DiskImage::Files& files, const std::string& directory);

}  // namespace drover::testing
