import { statSync } from 'node:fs'
import type { InstalledModel } from '../core/model.ts'

/** Read speed of the disk and start time of a process, assumed before the first load. */
const guess = { bytesPerMs: 500_000, startMs: 1_500 }

/** Returns the time of a model's load in milliseconds by the size of its files, for a model that was never loaded. */
export function guessedLoadMs({ filePaths }: Pick<InstalledModel, 'filePaths'>): number {
  const fileBytes = Object.values(filePaths).reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return guess.startMs + fileBytes / guess.bytesPerMs
}
