/** Note of the latest backup of a data folder, which may be on a disk that is not always connected. */
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { readNote, writeNote } from '../catalog/notes.ts'

const note = Type.Object({ path: Type.String(), bytes: Type.Number(), createdMs: Type.Number() })

type NotedBackup = Readonly<Static<typeof note>>

function notePath(dataDir: string): string {
  return join(dataDir, 'last-backup.json')
}

/** Notes a backup. Ignores failures: the backup exists nevertheless. */
export function noteBackup(dataDir: string, { path, bytes, createdMs }: NotedBackup): void {
  try {
    writeNote(notePath(dataDir), { path, bytes, createdMs })
  } catch {}
}

/** Returns the later of `found` and the noted backup, which may lie anywhere. */
export function laterBackup(dataDir: string, found: NotedBackup | undefined): NotedBackup | undefined {
  const noted = readNote(notePath(dataDir), note)
  if (noted === undefined || (found !== undefined && found.createdMs >= noted.createdMs)) return found
  return noted
}
