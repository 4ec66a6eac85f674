import { join } from 'node:path'
import { type DamagedFile, describeDamage, readDamage } from '../../catalog/damage-note.ts'
import { isOfFile } from '../../catalog/file-names.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import type { ModelFile } from '../../core/model.ts'
import { HashThread } from '../download/hash-thread.ts'
import type { LockedFile } from '../lock.ts'
import { isUnchanged } from '../locked-contents.ts'
import { readModelFolder } from '../model-folders.ts'
import { type ChunkToCheck, chunksOf, planCheck } from './check-plan.ts'
import { noteOutcome } from './verify-model.ts'

interface LoadChecksOptions {
  readonly dataDir: string
  /** See `CheckRules`; infinite after a clean stop. */
  readonly suspectAfterMs: number
  readonly random?: () => number
}

interface LoadCheckOptions {
  /** Files that a load can do without if they are missing or known to be damaged. */
  readonly optional?: readonly Pick<ModelFile, 'name' | 'unpack'>[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Compares files with their locks before models are loaded, in a thread. */
export class LoadChecks {
  readonly #options: LoadChecksOptions
  readonly #thread = new HashThread()
  /** Suspect files that were compared since this process began. */
  readonly #compared = new Set<string>()

  constructor(options: LoadChecksOptions) {
    this.#options = options
  }

  /**
   * Reads samples of a model's files, and completely those that changed or may not have reached the disk. Skips models
   * without a lock, and `optional` files that are missing or known to be damaged. If a file differs from its checksum,
   * notes the damage and returns it in words for the operator. Throws the system's error if a file cannot be read, and
   * the signal's reason before the next part.
   */
  async check(modelId: string, { optional = [], signal }: LoadCheckOptions = {}): Promise<string | undefined> {
    const { folder, lock } = readModelFolder(this.#options.dataDir, modelId)
    if (lock === undefined || lock instanceof FileError) return undefined
    const isOptional = ({ name }: Pick<LockedFile, 'name'>) => optional.some((file) => isOfFile(name, file))
    const known = readDamage(folder).filter(isOptional)
    const isUsed = (file: LockedFile) =>
      !isOptional(file) || (isFile(join(folder, file.name)) && !known.some(({ name }) => name === file.name))
    const used = lock.files.filter(isUsed)
    const states = used.map((file) => ({ file, isUnchanged: isUnchanged(file, join(folder, file.name)) }))
    const { suspectAfterMs, random = Math.random } = this.#options
    const isCompared = this.#compared.has(modelId)
    const plan = planCheck(states, { random, suspectAfterMs: isCompared ? Number.POSITIVE_INFINITY : suspectAfterMs })
    const damaged: DamagedFile[] = []
    const equal = new Map<string, LockedFile>()
    for (const file of plan.whole) {
      const found = await this.#compareWhole(folder, file, signal)
      if ('chunks' in found) damaged.push(found)
      else equal.set(file.name, found)
    }
    for (const chunk of plan.chunks) {
      signal?.throwIfAborted()
      if (!(await this.#isEqual(join(folder, chunk.file.name), chunk)))
        damaged.push(damageOf(chunk.file, chunk.file.stat, [chunk.index]))
    }
    this.#compared.add(modelId)
    const files = lock.files.map((file) => equal.get(file.name) ?? file)
    if (damaged.length > 0 || equal.size > 0)
      await noteOutcome(folder, { before: lock, files, damaged: [...damaged, ...known] })
    const [first] = damaged
    return first && `${join(folder, first.name)} ${describeDamage(first)}; ${remedy(modelId)}`
  }

  close(): void {
    this.#thread[Symbol.dispose]()
  }

  async #compareWhole(folder: string, file: LockedFile, signal?: AbortSignal): Promise<LockedFile | DamagedFile> {
    const path = join(folder, file.name)
    const found = statFile(path)
    if (found === undefined || found instanceof FileError) throw new Error(`${path} cannot be read`)
    const state = { mtimeMs: found.mtimeMs, inode: found.ino }
    const hasItsSize = found.size === file.bytes
    const differing = hasItsSize ? await this.#differingChunks(path, file, signal) : chunksOf(file)
    const indexes = differing.map(({ index }) => index)
    if (!hasItsSize || indexes.length > 0) return damageOf(file, state, indexes)
    return { ...file, verifiedAtMs: Date.now(), stat: state }
  }

  /** Returns the differing chunks; all chunks if only the whole file's checksum differs. */
  async #differingChunks(path: string, file: LockedFile, signal?: AbortSignal): Promise<readonly ChunkToCheck[]> {
    const chunks = chunksOf(file)
    using whole = this.#thread.beginWhole()
    const differing: ChunkToCheck[] = []
    for (const chunk of chunks) {
      signal?.throwIfAborted()
      const { offset, bytes } = chunk
      const [isEqual] = await Promise.all([this.#isEqual(path, chunk), whole.follow({ path, offset, bytes })])
      if (!isEqual) differing.push(chunk)
    }
    const isEqual = (await whole.end()) === file.sha256
    return isEqual || differing.length > 0 ? differing : chunks
  }

  async #isEqual(path: string, { file, index, offset, bytes }: ChunkToCheck): Promise<boolean> {
    const sum = await this.#thread.sumOfChunk({ path, offset, bytes })
    return sum === file.chunkSums[index]
  }
}

function isFile(path: string): boolean {
  const found = statFile(path)
  return found !== undefined && !(found instanceof FileError) && found.isFile()
}

/** Returns the damage. `stat` is the file's state before it was read, since it may have been replaced meanwhile. */
function damageOf({ name, chunkSums }: LockedFile, stat: DamagedFile['stat'], chunks: number[]): DamagedFile {
  return { name, chunks, chunkCount: chunkSums.length, stat }
}

function remedy(modelId: string): string {
  return `'inferd verify ${modelId}' looks at all of it, 'inferd pull ${modelId}' repairs a model of the catalog`
}
