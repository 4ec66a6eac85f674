/** Small files for the owner alone. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file that only its owner can read. A kill or a power cut leaves the old content or the new one. */
export function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = `${path}.new`
  writeFileSync(made, text, { mode: 0o600, flush: true })
  renameSync(made, path)
  const opened = openSync(folder, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/** Returns a file's text; undefined if there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
