/** Which files of a model were found to differ from their sums: beside its lock, until they are repaired. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fileNameProblem } from '../core/file-name.ts'
import { FileError, statFile } from './stat-file.ts'

/** No name of a model's file: those do not begin with a dot. */
export const damageNoteName = '.damaged.json'

const damagedFile = Type.Object({
  /** Path below the model's folder. */
  name: Type.String(),
  /** Numbers of the chunks that differ, from 0; of all, where the file has another size. */
  chunks: Type.Array(Type.Integer({ minimum: 0 })),
  chunkCount: Type.Integer({ minimum: 0 }),
  /** The file's state when it was compared: another state means that it was replaced since. */
  stat: Type.Object({ mtimeMs: Type.Number(), inode: Type.Integer() }),
})
const note = Type.Object({ files: Type.Array(damagedFile) })

export type DamagedFile = Static<typeof damagedFile>

/** The files of a folder that were found to be damaged and have not been replaced since; none in the usual case. */
export function readDamage(folder: string): readonly DamagedFile[] {
  const path = join(folder, damageNoteName)
  if (statFile(path) === undefined) return []
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(note, content) ? content.files.filter((file) => isStillThere(folder, file)) : []
  } catch {
    return [] // it tells nothing; the next check of the files does
  }
}

/** The note's text. */
export function damageText(files: readonly DamagedFile[]): string {
  return `${JSON.stringify({ files })}\n`
}

export function forgetDamage(folder: string): void {
  rmSync(join(folder, damageNoteName), { force: true })
}

/** Completes "<file> …". */
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
