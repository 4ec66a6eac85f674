/**
 * Files that lie in memory and have no name in any file system: what is in them is never on a disk of ours, other users cannot
 * open them, and the kernel frees them with the last process that has them open, however that ends.
 */
import { dlopen } from 'bun:ffi'

/** The descriptor is closed in processes that are started, unless they are given it. */
const closeOnExec = 1
/** Never to be run as a program: some systems allow no others. Kernels before 6.3 do not know it. */
const noProgram = 8

type Create = (name: Uint8Array, flags: number) => number
let create: Create | undefined

/**
 * Returns the descriptor of a new, empty file; `name` helps people who list open files. Undefined if the system has
 * none.
 */
export function openMemoryFile(name: string): number | undefined {
  create ??= findCreate()
  const bytes = new TextEncoder().encode(`${name}\0`)
  for (const flags of [closeOnExec | noProgram, closeOnExec]) {
    const file = create(bytes, flags)
    if (file >= 0) return file
  }
  return undefined
}

/** Returns libc's system call, the only operation on such files that the runtime lacks. */
function findCreate(): Create {
  try {
    const library = dlopen('libc.so.6', { memfd_create: { args: ['ptr', 'u32'], returns: 'i32' } })
    return library.symbols.memfd_create
  } catch {
    return () => -1
  }
}
