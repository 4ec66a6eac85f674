/** Reads the key for a model's servers. Only this file reads it, and only their engine gets it. */
import { constants, type FileHandle, open } from 'node:fs/promises'
import type { UpstreamKey } from '../../core/upstream.ts'
import { LoadError } from '../protocol/load-error.ts'

const limitBytes = 8 * 1024

export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called with a warning for the operator about a usable key. */
  readonly warn: (message: string) => void
}

/** Returns the key. Throws a LoadError that names the fault and never quotes the key. */
export async function readUpstreamKey(key: UpstreamKey, { environment, warn }: KeySources): Promise<string> {
  if ('variable' in key) {
    const name = `the environment variable ${key.variable}`
    const value = environment[key.variable]?.trim() ?? ''
    if (value === '') throw unusable(`${name} of its key is not set for this program`)
    return checked(value, name)
  }
  const name = `the key file ${key.file}`
  const { text, mode } = await readKeyFile(key.file, name)
  if ((mode & constants.S_IROTH) !== 0) warn(`${name} can be read by every user of this machine: chmod o-r ${key.file}`)
  return checked(text.trim(), name)
}

function checked(key: string, name: string): string {
  if (key === '') throw unusable(`${name} is empty`)
  if (/[\r\n]/.test(key)) throw unusable(`${name} has more than one line`)
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(key)) throw unusable(`${name} has characters that no key has: it must be printable ASCII`)
  return key
}

/** Reads a key file. Opens it non-blocking, because a FIFO would otherwise wait for a writer. */
async function readKeyFile(path: string, name: string): Promise<{ readonly text: string; readonly mode: number }> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile()) throw unusable(`${name} is not a file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(limitBytes + 1), 0, limitBytes + 1, 0)
    if (bytesRead > limitBytes) throw unusable(`${name} is larger than ${limitBytes / 1024} kB: it is no key`)
    return { text: buffer.toString('utf8', 0, bytesRead), mode: found.mode }
  } catch (error) {
    if (error instanceof LoadError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw unusable(`${name} cannot be read (${code})`)
  } finally {
    await file?.close()
  }
}

/** Returns the error of an unusable key. Code `other` lets the next attempt try again. */
function unusable(message: string): LoadError {
  return new LoadError('other', message)
}
