/**
 * Prevents this process and its children from writing their memory, with its prompts, answers and keys, to a disk when
 * they crash. The limit of core files stops the kernel's own. A program that takes dumps through a pipe may ignore that
 * limit, so the kernel is also told to put no memory into dumps. Both settings are inherited, and survive the start of
 * another program.
 */
import { dlopen, ptr } from 'bun:ffi'
import { writeFileSync } from 'node:fs'

/** RLIMIT_CORE of Linux. */
const coreFileSize = 4

/** Names of the C library: glibc and musl. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1']

/** Forbids both kinds of dumps, as far as the system knows them. */
export function forbidCoreDumps(): void {
  // Soft and hard limit.
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
