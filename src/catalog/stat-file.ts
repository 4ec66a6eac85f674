import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'

/** Problem with a model's file or manifest. The message completes "<file> …", such as `is cut short: …`. */
export class FileError extends Error {
  override name = 'FileError'
}

/**
 * Returns the state of a path that an operator wrote: undefined if it does not exist, FileError if it cannot be reached
 * (a loop of links, a folder without permission).
 */
export function statFile(path: string): Stats | FileError | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * Returns the result of `read` on an open file. Never waits: FIFOs, sockets and devices are not opened, even if one
 * takes the file's place meanwhile. Throws FileError.
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

/** Returns the text of a file. Throws FileError, also if it has more than `limitBytes`. */
export function readTextFile(path: string, limitBytes: number): string {
  return readRegularFile(path, (descriptor, { size }) => {
    if (size > limitBytes) throw new FileError(`is larger than ${limitBytes / 1024 / 1024} MB`)
    return readFileSync(descriptor, 'utf8')
  })
}

/** Returns the system's error by its code. Its message names the path, and everyone may see why a model is broken. */
export function unreadable(error: unknown): FileError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new FileError(`cannot be read (${code})`)
}
