// The operations on followers. A follower is a part of the daemon that acts on the log, with a
// cursor of its own.
#pragma once

#include "wire/area.h"

namespace drover::wire::followers {

inline constexpr std::string_view kSubject = "Name of a follower";

std::span<const Shape> shapes();

namespace answers {
inline constexpr auto kFollowers = std::to_array<Answer>({answer_ok("Followers", "All followers")});
inline constexpr auto kFollower =
    std::to_array<Answer>({answer_ok("Follower", "The follower after the change")});
}  // namespace answers

inline constexpr Operation list{
    .name = "followers.list",
    .method = "GET",
    .path = "/api/followers",
    .can = Permission::own,
    .help = "List the followers of the log",
    .answers = answers::kFollowers,
};
inline constexpr Operation resume{
    .name = "followers.resume",
    .method = "POST",
    .path = "/api/followers/{follower}/resume",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Resume a stopped follower at the event where it stopped",
    .answers = answers::kFollower,
};
inline constexpr Operation skip{
    .name = "followers.skip",
    .method = "POST",
    .path = "/api/followers/{follower}/skip",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Resume a stopped follower after the event where it stopped",
    .answers = answers::kFollower,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&list, &resume, &skip});
inline constexpr auto kTags =
    std::to_array<Tag>({{"followers", "Parts of the daemon that act on the log"}});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::followers
