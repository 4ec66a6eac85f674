/** Rough estimate of an engine's need if nothing better is known: a multiple of its files' size, in host memory. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { EstimatePlacements } from '../protocol/engine.ts'
import { LoadError } from '../protocol/load-error.ts'

const processBytes = 300 * 1024 * 1024

export function placementByFileSize(factor: number): EstimatePlacements<unknown> {
  return async ({ model }) => {
    const sizes = Object.values(model.filePaths).map(fileBytes)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return [{ key: 'cpu', label: 'CPU', needBytes: { host: Math.ceil(bytes * factor) + processBytes }, load: {} }]
  }
}

/** Returns the size of a file, or of all files in a folder. */
function fileBytes(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + fileBytes(join(path, name)), 0)
}
