/**
 * Files in memory without a name in any file system: their content never reaches our disks, other users cannot open
 * them, and the kernel frees them when the last process that has them open ends, in any way.
 */
import { dlopen } from 'bun:ffi'

/** Flag that closes the descriptor in child processes, unless it is passed to them. */
const closeOnExec = 1
/**
 * Flag that forbids to run the file as a program; some systems allow no file without it. Unknown to kernels before 6.3.
 */
const noProgram = 8

type Create = (name: Uint8Array, flags: number) => number
let create: Create | undefined

/**
 * Returns the descriptor of a new, empty file. `name` helps people who list open files. Undefined if the system has no
 * such files.
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

/** Returns libc's function, the only operation on such files that the runtime lacks. */
function findCreate(): Create {
  try {
    const library = dlopen('libc.so.6', { memfd_create: { args: ['ptr', 'u32'], returns: 'i32' } })
    return library.symbols.memfd_create
  } catch {
    return () => -1
  }
}
