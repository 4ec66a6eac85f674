import { existsSync } from 'node:fs'
import type { InstalledModel } from '../../core/model.ts'
import { LoadError } from '../protocol/load-error.ts'

/** Returns the path of the model's file with this role. Throws a `LoadError` if there is none. */
export function modelFile({ manifest, filePaths }: InstalledModel, role: string): string {
  const path = filePaths[role]
  if (path === undefined) {
    throw new LoadError('bad-model', `the manifest of ${manifest.id} names no file with role "${role}"`)
  }
  if (!existsSync(path)) throw new LoadError('bad-model', `${path} is not there: pull or import the model again`)
  return path
}
