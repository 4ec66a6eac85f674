/** Notes of this program: small JSON files. A missing or damaged note counts as empty. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { jsonIn } from '../core/json.ts'
import { FileError, readTextFile, statFile } from './stat-file.ts'

const limitBytes = 128 * 1024 * 1024

/** Returns the content of the note at `path`; undefined if it is missing or does not match `form`. */
export function readNote<Schema extends TSchema>(path: string, form: Schema): Static<Schema> | undefined {
  if (statFile(path) === undefined) return undefined // the usual case
  try {
    const said = jsonIn(readTextFile(path, limitBytes))
    return Value.Check(form, said) ? said : undefined
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/**
 * Replaces the note at `path`. Readers never see it half written, but it may not survive a power cut. Throws the
 * system's errors.
 */
export function writeNote(path: string, said: object): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, `${JSON.stringify(said)}\n`, { mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
