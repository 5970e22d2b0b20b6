// clone_into starts a child in a given cgroup, so that it is never outside: joining later costs the
// kernel a lock over all processes. Like vfork, the caller waits until the child has exec'd or
// exited, and both use the same memory until then.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace drover::process {

// Calls `child(argument)` on that stack in the new process, whose exit status is the result.
// `cgroup` is a descriptor of the cgroup's directory. -1, with errno set: there is no child.
// ENOSYS: this kernel (before 5.7) or this processor cannot do that.
pid_t clone_into(int cgroup, int (*child)(void*), void* argument, void* stack, size_t stack_bytes);

}  // namespace drover::process
