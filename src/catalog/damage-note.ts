/** Note beside a model's lock that names damaged files until they are repaired. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { fileNameProblem } from '../core/file-name.ts'
import { readNote } from './notes.ts'
import { FileError, statFile } from './stat-file.ts'

/** Hidden name, which no file of a model has. */
export const damageNoteName = '.damaged.json'

const damagedFile = Type.Object({
  /** Path below the model's folder. */
  name: Type.String(),
  /** Numbers of the damaged chunks, from 0. All of them if the file has the wrong size. */
  chunks: Type.Array(Type.Integer({ minimum: 0 })),
  chunkCount: Type.Integer({ minimum: 0 }),
  /** State of the file when it was compared. Another state means that the file has been replaced. */
  stat: Type.Object({ mtimeMs: Type.Number(), inode: Type.Integer() }),
})
const note = Type.Object({ files: Type.Array(damagedFile) })

export type DamagedFile = Static<typeof damagedFile>

/** Returns the damaged files of a folder that have not been replaced since, usually none. */
export function readDamage(folder: string): readonly DamagedFile[] {
  const { files = [] } = readNote(join(folder, damageNoteName), note) ?? {}
  return files.filter((file) => isStillThere(folder, file))
}

/** Returns the note's text. */
export function damageText(files: readonly DamagedFile[]): string {
  return `${JSON.stringify({ files })}\n`
}

export function forgetDamage(folder: string): void {
  rmSync(join(folder, damageNoteName), { force: true })
}

/** Returns the damage in words that complete "<file> …". */
export function describeDamage({ chunks, chunkCount }: DamagedFile): string {
  const [first = 0] = chunks
  const more = chunks.length > 1 ? ` and ${chunks.length - 1} more` : ''
  return `is damaged: part ${first + 1} of ${chunkCount}${more} differs from its sum`
}

function isStillThere(folder: string, { name, stat }: DamagedFile): boolean {
  const found = fileNameProblem(name) === undefined ? statFile(join(folder, name)) : undefined
  if (found === undefined || found instanceof FileError) return false
  return found.mtimeMs === stat.mtimeMs && found.ino === stat.inode
}
