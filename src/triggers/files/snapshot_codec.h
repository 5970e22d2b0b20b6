// The stored form of a Snapshot: one record for each of its parts that has files.
//
//   "DFS" version(1)  fingerprint(8)  flags(1: bit 0 mount point)  part(1)  count
//   for each file, sorted: bytes shared with the path before, length of the rest, the rest,
//     size, time (zigzag), inode
//   checksum(8): FNV-1a of all bytes before it
//
// Numbers without a length are variable: 7 bits a byte, the lowest first. Fixed ones have their
// lowest byte first. Example, in hex: the part with one empty file "a" of inode 1 and time 0:
//   44 46 53 01  00*8  00  PP  01  00 01 61  00 00 01  (checksum)
// A damaged record is an error; the caller starts from a new snapshot and says so. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "triggers/files/snapshot.h"

namespace drover::triggers {

inline constexpr unsigned char kSnapshotVersion = 1;

std::string encode_part(const Snapshot& snapshot, size_t index);

// Records in any order, of one snapshot; parts without a record are empty. All records of a
// snapshot have the same fingerprint and flags: store all parts if one of those changes
// (changed_parts). `corrupt`: reasons "snapshot_damaged" and "snapshot_newer".
Result<Snapshot> decode_parts(std::span<const std::string_view> records);

}  // namespace drover::triggers
