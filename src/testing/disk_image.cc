#include "testing/disk_image.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <ranges>
#include <utility>

namespace drover::testing {

class DiskImage::SectorRandom {
 public:
  explicit SectorRandom(std::uint64_t seed) : random_(seed) {}
  // One of 0 … sides - 1.
  size_t roll(size_t sides) { return static_cast<size_t>(random_() % sides); }

 private:
  std::mt19937_64 random_;
};

void DiskImage::open(const std::string& path) {
  const auto [file, is_new] = files_.try_emplace(path);
  if (!is_new) {
    if (!exists(file->second)) add(file->second, {.kind = Change::Kind::create});
    return;
  }
  if (std::ifstream in(path, std::ios::binary); in) {
    file->second.saved = std::make_shared<std::string>(std::istreambuf_iterator<char>(in),
                                                       std::istreambuf_iterator<char>());
  } else {
    add(file->second, {.kind = Change::Kind::create});
  }
}

bool DiskImage::renames(const Change& change) {
  return change.kind == Change::Kind::create || change.kind == Change::Kind::remove;
}

bool DiskImage::exists(const File& file) {
  for (const Change& change : file.pending | std::views::reverse) {
    if (change.kind == Change::Kind::create) return true;
    if (change.kind == Change::Kind::remove) return false;
  }
  return file.saved != nullptr;
}

void DiskImage::add(File& file, Change change) {
  change.order = changes_++;
  file.pending.push_back(std::move(change));
}

void DiskImage::write(const std::string& path, std::int64_t offset, std::string_view bytes) {
  add(files_[path], {.at = offset, .bytes = std::make_shared<std::string>(bytes)});
}

void DiskImage::truncate(const std::string& path, std::int64_t size) {
  add(files_[path], {.kind = Change::Kind::truncate, .at = size});
}

void DiskImage::remove(const std::string& path) {
  const auto file = files_.find(path);
  if (file != files_.end() && exists(file->second)) {
    add(file->second, {.kind = Change::Kind::remove});
  }
}

void DiskImage::sync(const std::string& path) {
  File& file = files_[path];
  const bool is_new = std::ranges::any_of(file.pending, renames);
  SectorRandom none(0);
  file.saved = survivor(file, {.keeps = PowerCut::Keeps::everything}, none);
  file.pending.clear();
  if (is_new) sync_names();
}

void DiskImage::sync_names() {
  for (auto& [path, file] : files_) {
    const auto last = std::ranges::find_if(file.pending | std::views::reverse, renames).base();
    if (last == file.pending.begin()) continue;
    file.saved = exists(file) ? std::make_shared<std::string>() : nullptr;
    file.pending.erase(file.pending.begin(), last);
  }
}

void DiskImage::lose(const std::string& path) {
  File& file = files_[path];
  std::erase_if(file.pending, [](const Change& change) {
    return change.kind == Change::Kind::write || change.kind == Change::Kind::truncate;
  });
}

DiskImage::Files DiskImage::after(const PowerCut& cut) const {
  Files files;
  SectorRandom random(cut.number);
  for (const auto& [path, file] : files_) {
    if (const Bytes content = survivor(file, cut, random)) files[path] = *content;
  }
  return files;
}

// Names first: their surviving changes decide which file's content is asked for.
DiskImage::Bytes DiskImage::survivor(const File& file, const PowerCut& cut, SectorRandom& random) {
  auto begin = file.pending.begin();
  auto end = file.pending.end();
  if (cut.keeps == PowerCut::Keeps::nothing) end = begin;
  if (cut.keeps == PowerCut::Keeps::first) {
    end =
        std::ranges::find_if(file.pending, [&](const Change& c) { return c.order >= cut.number; });
  }
  if (cut.keeps == PowerCut::Keeps::some) {
    size_t survive = random.roll(static_cast<size_t>(std::count_if(begin, end, renames)) + 1);
    end = std::find_if(begin, end, [&](const Change& c) { return renames(c) && survive-- == 0; });
  }
  std::string content;
  bool there = file.saved != nullptr;
  for (auto change = begin; change != end; ++change) {
    if (!renames(*change)) continue;
    there = change->kind == Change::Kind::create;
    begin = change + 1;
  }
  if (!there) return nullptr;
  if (begin == file.pending.begin() && file.saved) content = *file.saved;
  const bool gambles = cut.keeps == PowerCut::Keeps::some;
  for (auto change = begin; change != end; ++change) {
    if (gambles && random.roll(2) == 0) continue;
    apply(content, *change, gambles && random.roll(4) == 0 ? &random : nullptr);
  }
  return std::make_shared<std::string>(std::move(content));
}

void DiskImage::apply(std::string& content, const Change& change, SectorRandom* tear) {
  const auto at = static_cast<size_t>(change.at);
  if (change.kind == Change::Kind::truncate) return content.resize(at);
  constexpr size_t kSector = 512;
  const std::string& bytes = *change.bytes;
  content.resize(std::max(content.size(), at + bytes.size()));
  for (size_t done = 0; done < bytes.size();) {
    const size_t part = std::min(kSector - (at + done) % kSector, bytes.size() - done);
    if (tear == nullptr || tear->roll(2) == 0) bytes.copy(content.data() + at + done, part, done);
    done += part;
  }
}

void lay_down(const DiskImage::Files& files, const std::string& directory) {
  for (const auto& [path, content] : files) {
    std::ofstream out(directory + "/" + std::filesystem::path(path).filename().string(),
                      std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  }
}

}  // namespace drover::testing
