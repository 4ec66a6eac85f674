/** A whole download: one that is in place already, and how one gets there. */
import { stat } from 'node:fs/promises'
import { FileError } from '../../catalog/stat-file.ts'
import type { Disk } from '../disk.ts'
import { renameDurably } from '../durable.ts'
import { type FileSums, hashFile } from '../hash-file.ts'
import { ContentError, contentProblem, type Promised } from './check-content.ts'
import { checkStructure } from './check-structure.ts'
import { discardPart, partPath } from './part-file.ts'
import type { ProgressReporter } from './progress-reporter.ts'

export interface FinishedFile {
  readonly target: string
  readonly disk: Disk
  readonly signal: AbortSignal
  readonly report: ProgressReporter
}

/** The sums of the file at its place; undefined when there is none, or it is not what was promised. */
export async function existingFile(
  { target, disk, signal, report }: FinishedFile,
  promised: Promised,
): Promise<FileSums | undefined> {
  const found = await stat(target).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size !== (promised.bytes ?? found.size)) return undefined
  report.begin('verify', 0, found.size)
  const sums = await hashFile(target, { signal, onBytes: (bytes) => report.set(bytes) })
  if ((await contentProblem(target, sums, promised)) !== undefined) return undefined
  await discardPart(target, disk)
  return sums
}

/** Whether the file at its place got there since a time. */
export async function isNewerThan(target: string, timeMs: number): Promise<boolean> {
  return stat(target).then(
    ({ ctimeMs }) => ctimeMs >= timeMs,
    () => false,
  )
}

/** Gives a whole part, flushed and hashed, its name. Throws ContentError, and removes the part, when it is not of its kind. */
export async function placePart({ target, disk }: FinishedFile, name: string): Promise<void> {
  try {
    checkStructure(partPath(target), name)
  } catch (error) {
    await discardPart(target, disk)
    throw error instanceof FileError ? new ContentError(`${name} ${error.message}`) : error
  }
  await renameDurably(partPath(target), target, disk)
  await discardPart(target, disk)
}
