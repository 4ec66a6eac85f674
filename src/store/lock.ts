/** `lock.json` in a model's folder: the model's files with their checksums and sources. */

import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { modelIdPattern } from '../catalog/manifest-schema.ts'
import { FileError, readTextFile, statFile } from '../catalog/stat-file.ts'
import { fileNameProblem } from '../core/file-name.ts'
import { jsonIn } from '../core/json.ts'
import { chunkBytes, chunkSumPattern } from './chunk-sum.ts'
import { type Disk, realDisk } from './disk.ts'
import { writeDurably } from './durable.ts'

/** Name of the lock, which lies beside the files it lists. */
export const lockName = 'lock.json'

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 lower-case hexadecimal digits' })
const chunkSum = Type.String({ pattern: chunkSumPattern, description: '16 lower-case hexadecimal digits' })
const amount = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description })
const line = Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]+$', maxLength: 4000, description: 'one line of text' })
const given = Type.Optional(Type.Union([line, Type.Undefined()], { description: 'one line of text' }))
const closed = { additionalProperties: false }

const lockedFile = Type.Object(
  {
    role: Type.String({ pattern: '^[a-z][a-z0-9-]*$', maxLength: 40, description: 'a lower-case word' }),
    /** Path below the model's folder. */
    name: Type.String({ maxLength: 1800, description: 'a path' }),
    bytes: amount(0, 'a number of bytes'),
    sha256,
    /** Checksums of the chunks, by which a damaged file is repaired. */
    chunkSums: Type.Array(chunkSum, { description: 'a list of sums' }),
    /** Source without secrets: `hf:org/repo/path`, an address, or a path. */
    source: line,
    commit: given,
    /** Time when the whole content was last compared with `sha256`, milliseconds UTC. */
    verifiedAtMs: amount(0, 'a time in milliseconds'),
    /** State of the file at that time. A difference means that it was changed. */
    stat: Type.Object(
      { mtimeMs: Type.Number({ description: 'a time in milliseconds' }), inode: amount(0, 'a number') },
      { ...closed, description: 'a table' },
    ),
  },
  { ...closed, description: 'a table' },
)

const modelLock = Type.Object(
  {
    format: Type.Literal(1, { description: '1' }),
    modelId: Type.String({ pattern: modelIdPattern, maxLength: 200, description: '<org>/<model-name>' }),
    license: given,
    files: Type.Array(lockedFile, { maxItems: 10_000, description: 'a list of files' }),
  },
  { ...closed, description: 'a table' },
)

export type LockedFile = Readonly<Static<typeof lockedFile>>
export type ModelLock = Readonly<Static<typeof modelLock>>

/** Size limit of a lock. Sums of a million chunks, 64 TiB, fit. */
const lockLimitBytes = 128 * 1024 * 1024

/**
 * Returns the lock in a model's folder; undefined if there is none. Throws FileError that completes "<path of the lock>
 * …" if it is damaged or names a file outside of the folder.
 */
export function readLock(folder: string): ModelLock | undefined {
  const path = join(folder, lockName)
  const found = statFile(path)
  if (found === undefined) return undefined
  if (found instanceof FileError) throw found
  if (found.size > lockLimitBytes) throw new FileError(`is damaged: it has ${found.size} bytes`)
  return checkedLock(readTextFile(path, lockLimitBytes))
}

/** Replaces the lock in a model's folder, durably. One writer at a time. */
export async function writeLock(folder: string, lock: ModelLock, disk: Disk = realDisk): Promise<void> {
  await writeDurably(join(folder, lockName), `${JSON.stringify(lock, undefined, 2)}\n`, disk)
}

/** Reads a lock from text, also for bundles and other boxes. Throws FileError. */
export function checkedLock(text: string): ModelLock {
  const lock = jsonIn(text)
  if (lock === undefined) throw new FileError('is damaged: it is not JSON')
  if (!Value.Check(modelLock, lock)) {
    const [first] = Value.Errors(modelLock, lock)
    const field = first?.path.slice(1).replaceAll('/', '.') ?? ''
    throw new FileError(`is damaged: "${field}" is not ${first?.schema.description ?? 'what it must be'}`)
  }
  const names = new Set<string>()
  for (const { name, bytes, chunkSums } of lock.files) {
    const problem = fileNameProblem(name) ?? (names.has(name.toLowerCase()) ? 'comes twice' : undefined)
    if (problem !== undefined) throw new FileError(`is damaged: the name ${JSON.stringify(name)} ${problem}`)
    names.add(name.toLowerCase())
    if (chunkSums.length === Math.ceil(bytes / chunkBytes)) continue
    throw new FileError(`is damaged: ${name} has ${chunkSums.length} sums for ${bytes} bytes`)
  }
  const file = [...names].find((name) => foldersOf(name).some((folder) => names.has(folder)))
  if (file !== undefined) throw new FileError(`is damaged: ${JSON.stringify(file)} lies below another file`)
  return lock
}

/** Returns the folders of a name: `a` and `a/b` for `a/b/c`. */
function foldersOf(name: string): string[] {
  const segments = name.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}
