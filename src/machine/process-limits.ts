/** Limits of this process. Its children inherit them, and they survive the start of another program. */
import { dlopen, ptr } from 'bun:ffi'
import { writeFileSync } from 'node:fs'

/** RLIMIT_CPU and RLIMIT_CORE of Linux. */
const resources = { processorSeconds: 0, coreFileSize: 4 } as const

/** Names of the C library: glibc and musl. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1']

/**
 * Prevents this process from writing its memory, with its prompts, answers and keys, to a disk when it crashes. The
 * limit of core files stops the kernel's own. A program that takes dumps through a pipe may ignore that limit, so the
 * kernel is also told to put no memory into dumps.
 */
export function forbidCoreDumps(): void {
  limit('coreFileSize', 0n)
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // A kernel without dumps has no such file.
  }
}

/** Ends this process once it has computed for this time, even if nobody else would. */
export function limitProcessorTime(seconds: number): void {
  limit('processorSeconds', BigInt(seconds))
}

function limit(resource: keyof typeof resources, value: bigint): void {
  // Soft and hard limit.
  const both = new BigUint64Array(2).fill(value)
  for (const name of libraryNames) {
    try {
      const { symbols } = dlopen(name, { setrlimit: { args: ['i32', 'ptr'], returns: 'i32' } })
      symbols.setrlimit(resources[resource], ptr(both))
      return
    } catch {
      // another C library
    }
  }
}
