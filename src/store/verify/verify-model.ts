import { join } from 'node:path'
import {
  type DamagedFile,
  damageNoteName,
  damageText,
  describeDamage,
  forgetDamage,
} from '../../catalog/damage-note.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { writeDurably } from '../durable.ts'
import { type LockedFile, lockName, type ModelLock, readLock, writeLock } from '../lock.ts'
import { readModelFolder } from '../model-folders.ts'
import { compareFile } from './compare-file.ts'
import { type LockableModel, makeLock } from './make-lock.ts'

export interface VerifiedModel {
  readonly modelId: string
  /**
   * `locked`: the model had no sound lock, so its present files were locked as correct. `elsewhere`: its files are not
   * in its folder.
   */
  readonly outcome: 'whole' | 'locked' | 'damaged' | 'elsewhere'
  /** Problems by file name. Each completes "<file> …". */
  readonly problems: Readonly<Record<string, string>>
  readonly bytes: number
}

export interface VerifyOptions {
  readonly dataDir: string
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes of the model read so far, and the total. */
  readonly onBytes?: ((bytes: number, totalBytes: number) => void) | undefined
}

/**
 * Compares all files of a model with the checksums in its lock. Notes damaged files, so that the server does not serve
 * the model and a pull repairs it. Without a sound lock it makes one: checksums in the manifest must match, other files
 * are taken as they are.
 */
export async function verifyModel(model: LockableModel, options: VerifyOptions): Promise<VerifiedModel> {
  const { modelId } = model
  const { folder, lock } = readModelFolder(options.dataDir, modelId)
  if (lock === undefined) return makeLock(model, { folder, ...options })
  if (lock instanceof FileError) {
    const made = await makeLock(model, { folder, ...options })
    return { ...made, problems: { [lockName]: lock.message, ...made.problems } }
  }
  const totalBytes = lock.files.reduce((total, { bytes }) => total + bytes, 0)
  const whole: LockedFile[] = []
  const damaged: DamagedFile[] = []
  const problems: Record<string, string> = {}
  let doneBytes = 0
  for (const file of lock.files) {
    const onBytes = (bytes: number) => options.onBytes?.(doneBytes + Math.min(bytes, file.bytes), totalBytes)
    const found = await compareFile(folder, file, { signal: options.signal, onBytes })
    doneBytes += file.bytes
    whole.push(found.kind === 'equal' ? found.file : file)
    if (found.kind === 'damaged') damaged.push(found.damage)
    if (found.kind === 'damaged') problems[file.name] = describeDamage(found.damage)
    if (found.kind === 'missing') problems[file.name] = 'is missing'
    if (found.kind === 'unreadable') problems[file.name] = found.problem.message
  }
  await noteOutcome(folder, { before: lock, files: whole, damaged })
  const isWhole = Object.keys(problems).length === 0
  return { modelId, outcome: isWhole ? 'whole' : 'damaged', problems, bytes: totalBytes }
}

export interface Outcome {
  /** Lock with which the files were compared. */
  readonly before: ModelLock
  readonly files: readonly LockedFile[]
  readonly damaged: readonly DamagedFile[]
}

/**
 * Writes the results: damage first, so that no damaged file counts as whole. Writes nothing if another process has
 * replaced the model since its files were compared.
 */
export async function noteOutcome(folder: string, { before, files, damaged }: Outcome): Promise<void> {
  if (!Bun.deepEquals(readLock(folder), before)) return
  if (damaged.length > 0) await writeDurably(join(folder, damageNoteName), damageText(damaged))
  await writeLock(folder, { ...before, files: [...files] })
  if (damaged.length === 0) forgetDamage(folder)
}
