#include "process/clone_into.h"

#include <linux/sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace drover::process {
namespace {

// clone3 is the only call that takes a cgroup, and no libc of our time offers it. It returns twice,
// the second time on another stack, so what follows in the child must not be left to a compiler.
long clone3(clone_args& arguments, int (*child)(void*), void* argument) {
#if defined(__x86_64__)
  long result = SYS_clone3;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[argument], %%rdi\n\t"
      "call *%[child]\n\t"
      "mov %%eax, %%edi\n\t"
      "mov %[exit], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(&arguments),
        "S"(sizeof arguments), [child] "r"(child), [argument] "r"(argument), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long result asm("x0") = reinterpret_cast<long>(&arguments);
  register long size asm("x1") = sizeof arguments;
  register long number asm("x8") = SYS_clone3;
  asm volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x0, %[argument]\n\t"
      "blr %[child]\n\t"
      "mov x8, %[exit]\n\t"
      "svc #0\n\t"
      "brk #0\n"
      "1:"
      : "+r"(result)
      : "r"(size), "r"(number), [child] "r"(child), [argument] "r"(argument), [exit] "i"(SYS_exit)
      : "x30", "memory", "cc");
  return result;
#else
  (void)arguments, (void)child, (void)argument;
  return -ENOSYS;
#endif
}

}  // namespace

pid_t clone_into(int cgroup, int (*child)(void*), void* argument, void* stack, size_t stack_bytes) {
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<std::uintptr_t>(stack);
  arguments.stack_size = stack_bytes;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  const long result = clone3(arguments, child, argument);
  if (result >= 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace drover::process
