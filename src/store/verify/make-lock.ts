import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { ggufParts, isLaterGgufPart } from '../../catalog/gguf-file.ts'
import type { LocatedFile } from '../../catalog/locate-files.ts'
import { fileNameProblem } from '../../core/file-name.ts'
import type { ModelFile } from '../../core/model.ts'
import { hashFile } from '../hash-file.ts'
import { type LockedFile, writeLock } from '../lock.ts'
import type { VerifiedModel, VerifyOptions } from './verify-model.ts'

/** A model's files as the catalog knows them. */
export interface LockableModel {
  readonly modelId: string
  readonly license: string | undefined
  readonly files: readonly (LocatedFile & Pick<ModelFile, 'sha256'>)[]
}

/** Makes a lock for a model without one: from an older version, or of files put there by hand. */
export async function makeLock(
  { modelId, license, files }: LockableModel,
  { folder, signal, onBytes }: VerifyOptions & { readonly folder: string },
): Promise<VerifiedModel> {
  const named = new Set(files.map(({ path }) => path))
  // Manifests of older versions name only the first part of a split model.
  const parts = files.flatMap((file) =>
    file.role === 'model' && !isLaterGgufPart(file.path)
      ? ggufParts(file.path).map((path) => (named.has(path) ? undefined : { ...file, path, sha256: undefined }))
      : [],
  )
  const own = [...files, ...parts.filter((part) => part !== undefined)].flatMap((file) => {
    const name = relative(folder, file.path)
    return file.isFolder || file.isCarried || fileNameProblem(name) !== undefined ? [] : [{ ...file, name }]
  })
  if (own.length === 0) return { modelId, outcome: 'elsewhere', problems: {}, bytes: 0 }
  const problems: Record<string, string> = {}
  const locked: LockedFile[] = []
  let doneBytes = 0
  for (const { role, name, path, sha256, isForGpu } of own) {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) {
      if (!isForGpu) problems[name] = 'is missing'
      continue
    }
    const sums = await hashFile(path, {
      signal,
      onBytes: (bytes) => onBytes?.(doneBytes + bytes, doneBytes + found.size),
    })
    doneBytes += sums.bytes
    // Not noted as damaged chunks: a manifest has no checksums of chunks, so a pull fetches the whole file.
    if (sha256 !== undefined && sha256 !== sums.sha256)
      problems[name] = 'is damaged: its sum is not the one in the manifest'
    const state = { mtimeMs: found.mtimeMs, inode: found.ino }
    locked.push({ role, name, ...sums, source: `file://${path}`, verifiedAtMs: Date.now(), stat: state })
  }
  const isSound = Object.keys(problems).length === 0
  if (isSound) await writeLock(folder, { format: 1, modelId, license, files: locked })
  return { modelId, outcome: isSound ? 'locked' : 'damaged', problems, bytes: doneBytes }
}
