// A DiskImage tracks the writes to some files, and computes what each file could contain if the
// power failed now: everything synced, and nothing, all or any part of the rest.
//
// It models what file systems promise and no more. A write is durable once its file was synced
// after it. Until then it survives or not, independently of the writes around it, and perhaps only
// in part, by sectors. Renames and deletions become durable in the order in which they were made,
// and all of them once a new file was synced with its directory, as SQLite does. All files are in
// one directory. The image reads a file once, when it first sees it, and never touches it again.
// Copies are cheap: a test keeps one for each call. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drover::testing {

// The unsynced changes that survived a power cut.
struct PowerCut {
  enum class Keeps : std::uint8_t {
    nothing,
    everything,
    some,   // At random; `number` is the seed.
    first,  // The first `number` changes only: a disk that keeps order.
  };
  Keeps keeps = Keeps::nothing;
  std::uint64_t number = 0;
};

class DiskImage {
 public:
  // By path. A file that does not exist is absent.
  using Files = std::map<std::string, std::string>;

  // The file at `path` is about to be used. Its contents when it is first seen count as durable.
  void open(const std::string& path);
  void write(const std::string& path, std::int64_t offset, std::string_view bytes);
  void truncate(const std::string& path, std::int64_t size);
  void remove(const std::string& path);
  void sync(const std::string& path);
  // A sync that failed and lost its writes: they can still be read, but no later sync saves them
  // (on Linux a page whose write failed counts as clean).
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
  class SectorRandom;

  void add(File& file, Change change);
  void sync_names();
  static bool renames(const Change& change);
  static bool exists(const File& file);
  static Bytes survivor(const File& file, const PowerCut& cut, SectorRandom& random);
  static void apply(std::string& content, const Change& change, SectorRandom* tear);

  std::map<std::string, File> files_;
  std::uint64_t changes_ = 0;
};

// Writes `files` into `directory`, under the last part of their names.
void lay_down(const DiskImage::Files& files, const std::string& directory);

}  // namespace drover::testing
