// The operations on memories.
#pragma once

#include "wire/area.h"

namespace drover::wire::memory {

inline constexpr std::string_view kSubject =
    "Name of a memory: user, space/NAME or app/NAME; a slash is sent as %2F";

namespace parameters {
inline constexpr auto kGet = std::to_array<Parameter>({
    {"version", "Return this version of the history"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kMemories =
    std::to_array<Answer>({answer_ok("Memories", "The names, sorted")});
inline constexpr auto kMemory = std::to_array<Answer>({answer_ok("Memory", "The memory")});
inline constexpr auto kLog =
    std::to_array<Answer>({answer_ok("MemoryLog", "The versions, newest first")});
}  // namespace answers

inline constexpr Operation list{
    .name = "memory.list",
    .method = "GET",
    .path = "/api/memory",
    .can = Permission::read,
    .help = "List memories",
    .answers = answers::kMemories,
};
inline constexpr Operation get{
    .name = "memory.get",
    .method = "GET",
    .path = "/api/memory/{memory}",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kGet,
    .help = "Read a memory, which may be empty",
    .answers = answers::kMemory,
};
inline constexpr Operation put{
    .name = "memory.put",
    .method = "PUT",
    .path = "/api/memory/{memory}",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Write the text of a memory",
    .takes = "MemoryText",
    .needs_body = true,
    .answers = answers::kMemory,
};
inline constexpr Operation log{
    .name = "memory.log",
    .method = "GET",
    .path = "/api/memory/{memory}/log",
    .subject = kSubject,
    .can = Permission::read,
    .help = "List the replaced versions of a memory",
    .answers = answers::kLog,
};

}  // namespace drover::wire::memory
