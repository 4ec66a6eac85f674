/** Limits of this process. Its children inherit those of resources, which survive the start of another program. */
import { dlopen, ptr } from 'bun:ffi'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'

/** RLIMIT_CPU and RLIMIT_CORE of Linux. */
const resources = { processorSeconds: 0, coreFileSize: 4 } as const

/** PR_SET_PDEATHSIG of Linux. */
const signalOnDeathOfParent = 1

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

/** Ends this process together with its parent, however that ends. Throws Error if that has ended already. */
export function endWithParent(parentId: number): void {
  inLibrary((name) => {
    const { symbols } = dlopen(name, { prctl: { args: ['i32', 'u64'], returns: 'i32' } })
    symbols.prctl(signalOnDeathOfParent, BigInt(constants.signals.SIGKILL))
  })
  if (process.ppid !== parentId) throw new Error('the parent has ended')
}

function limit(resource: keyof typeof resources, value: bigint): void {
  // Soft and hard limit.
  const both = new BigUint64Array(2).fill(value)
  inLibrary((name) => {
    const { symbols } = dlopen(name, { setrlimit: { args: ['i32', 'ptr'], returns: 'i32' } })
    symbols.setrlimit(resources[resource], ptr(both))
  })
}

/** Calls `use` with the name of the C library that this process has. */
function inLibrary(use: (name: string) => void): void {
  for (const name of libraryNames) {
    try {
      use(name)
      return
    } catch {
      // another C library
    }
  }
}
