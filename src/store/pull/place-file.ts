/** Ways to get a planned file without fetching it, and its entry in the lock. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { linkBeside, renameDurably, temporaryPath } from '../durable.ts'
import type { FileSums } from '../hash-file.ts'
import type { LockedFile, ModelLock } from '../lock.ts'
import { isUnchanged, type LockedContent } from '../locked-contents.ts'
import type { PlannedFile } from '../plan.ts'

/**
 * Returns the lock's entries of a planned file that is complete and matches the plan; undefined if it must be fetched.
 */
export function presentFiles(
  planned: PlannedFile,
  lock: ModelLock | undefined,
  folder: string,
): LockedFile[] | undefined {
  const files = (lock?.files ?? []).filter((file) =>
    planned.unpack === true
      ? file.name.startsWith(`${planned.name}/`) && file.source === planned.source
      : file.name === planned.name && isSameContent(file, planned),
  )
  const areWhole = files.every((file) => isUnchanged(file, join(folder, file.name)))
  return files.length > 0 && areWhole ? files.map((file) => ({ ...file, role: planned.role })) : undefined
}

/** Returns whether the content is the same. Without a checksum, source and revision decide. */
function isSameContent(file: LockedFile, { sha256, bytes, source, commit }: PlannedFile): boolean {
  if (sha256 !== undefined) return file.sha256 === sha256
  return file.source === source && file.commit === commit && file.bytes === (bytes ?? file.bytes)
}

/**
 * Hard-links an equal file of another model in place of a download. Returns undefined if there is none, or links are
 * unsupported.
 */
export async function adoptEqual(
  planned: PlannedFile,
  target: string,
  contents: readonly LockedContent[],
): Promise<LockedFile | undefined> {
  if (planned.unpack === true || planned.sha256 === undefined) return undefined
  const equal = contents.find(({ file }) => file.sha256 === planned.sha256)
  if (equal === undefined || !(await linkBeside(equal.path, target))) return undefined
  await renameDurably(temporaryPath(target), target)
  const { role, name, source, commit } = planned
  return { ...equal.file, role, name, source, commit }
}

/** Returns the lock's entry of a file just fetched and verified. */
export async function lockedFile(
  folder: string,
  { role, name, source }: Pick<PlannedFile, 'role' | 'name' | 'source'>,
  { bytes, sha256, chunkSums, commit }: FileSums & { readonly commit?: string | undefined },
): Promise<LockedFile> {
  const { mtimeMs, ino } = await stat(join(folder, name))
  const verified = { verifiedAtMs: Date.now(), stat: { mtimeMs, inode: ino } }
  return { role, name, bytes, sha256, chunkSums: [...chunkSums], source, commit, ...verified }
}
