/** Remembers the latest backup that was made of a data folder, since it may lie on a disk that is not always there. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const note = Type.Object({ path: Type.String(), bytes: Type.Number(), createdMs: Type.Number() })

type NotedBackup = Readonly<Static<typeof note>>

function notePath(dataDir: string): string {
  return join(dataDir, 'last-backup.json')
}

/** Notes a backup. Ignores failures: the backup exists nevertheless. */
export function noteBackup(dataDir: string, { path, bytes, createdMs }: NotedBackup): void {
  const temporary = `${notePath(dataDir)}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, `${JSON.stringify({ path, bytes, createdMs })}\n`, { mode: 0o600 })
    renameSync(temporary, notePath(dataDir))
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Returns the later one of the latest backup that was made, wherever it went, and `found`. */
export function laterBackup(dataDir: string, found: NotedBackup | undefined): NotedBackup | undefined {
  const noted = readNote(dataDir)
  if (noted === undefined || (found !== undefined && found.createdMs >= noted.createdMs)) return found
  return noted
}

function readNote(dataDir: string): NotedBackup | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(notePath(dataDir), 'utf8'))
    return Value.Check(note, read) ? read : undefined
  } catch {
    return undefined // none was made
  }
}
