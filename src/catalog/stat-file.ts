import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs'

/** Why a model's file or manifest cannot be used. The message completes "<file> …", e.g. `is cut short: …`. */
export class FileError extends Error {
  override name = 'FileError'
}

/**
 * What lies at a path that an operator wrote: undefined when nothing does, FileError when the path leads nowhere (a loop
 * of links, a folder that is closed to us).
 */
export function statFile(path: string): Stats | FileError | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * What `read` makes of an open file. Never waits: a FIFO, a socket or a device is not opened, nor one that takes the
 * file's place meanwhile. Throws FileError.
 */
export function readRegularFile<Result>(path: string, read: (descriptor: number, found: Stats) => Result): Result {
  let descriptor: number | undefined
  try {
    if (!statSync(path).isFile()) throw new FileError('is not a file')
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(descriptor)
    if (!found.isFile()) throw new FileError('is not a file')
    return read(descriptor, found)
  } catch (error) {
    throw error instanceof FileError ? error : unreadable(error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The system's refusal by its code. Its message names the path, and everyone may see why a model is broken. */
export function unreadable(error: unknown): FileError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new FileError(`cannot be read (${code})`)
}
