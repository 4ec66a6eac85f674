/**
 * Keeps this process, and all that it starts, from leaving its memory on a disk when it crashes: prompts, answers and keys lie there.
 * The limit of core files holds for the kernel's own. A program that takes dumps through a pipe may ignore that limit, so
 * the kernel is also told that no memory belongs into a dump. Both are inherited, and survive the start of another program.
 */
import { dlopen, ptr } from 'bun:ffi'
import { writeFileSync } from 'node:fs'

/** RLIMIT_CORE of Linux. */
const coreFileSize = 4

/** Names of the C library: of glibc, of musl. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1']

/** Forbids both kinds of dumps, as far as the system has them. */
export function forbidCoreDumps(): void {
  // The soft limit and the hard one.
  const none = new BigUint64Array(2)
  for (const name of libraryNames) {
    try {
      const { symbols } = dlopen(name, { setrlimit: { args: ['i32', 'ptr'], returns: 'i32' } })
      symbols.setrlimit(coreFileSize, ptr(none))
      break
    } catch {
      // another C library
    }
  }
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // A kernel without dumps has no such file.
  }
}
