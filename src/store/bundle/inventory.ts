import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FileError, readTextFile } from '../../catalog/stat-file.ts'
import { hashFile } from '../hash-file.ts'
import { lockedContents } from '../locked-contents.ts'
import { manifestLimitBytes } from './layout.ts'
import { BundleError } from './manifest.ts'
import type { Content } from './plan-volumes.ts'

export interface Inventory {
  readonly format: 1
  /** Ids of models, for people only. */
  readonly models: readonly string[]
  readonly blobs: readonly Content[]
}

/** Returns the files of models, and the program itself if it is one file. */
export async function boxInventory(dataDir: string, executable: string | undefined): Promise<Inventory> {
  const contents = lockedContents(dataDir)
  const own = executable === undefined ? [] : [await hashFile(executable)]
  const bySum = new Map([...own, ...contents.map(({ file }) => file)].map(({ sha256, bytes }) => [sha256, bytes]))
  return {
    format: 1,
    models: [...new Set(contents.map(({ modelId }) => modelId))].sort(),
    blobs: [...bySum].map(([sha256, bytes]) => ({ sha256, bytes })),
  }
}

const content = Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }), bytes: Type.Integer({ minimum: 0 }) })
const schema = Type.Object({ blobs: Type.Array(content), base: Type.Optional(Type.Array(content)) })

/**
 * Returns the contents of a box from its inventory or from the manifest of a bundle installed there. Throws
 * BundleError.
 */
export function readBase(path: string): Content[] {
  try {
    const found: unknown = JSON.parse(readTextFile(path, manifestLimitBytes))
    if (!Value.Check(schema, found)) throw new FileError('is neither an inventory nor the manifest of a bundle')
    return [...found.blobs, ...(found.base ?? [])].map(({ sha256, bytes }) => ({ sha256, bytes }))
  } catch (error) {
    const reason = error instanceof FileError ? error.message : 'is not JSON'
    throw new BundleError(`${path} ${reason}; give --base what 'inferd bundle inventory' prints`)
  }
}
