/** What a bundle changes on this box, before anything is written. */
import { join } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import { isUnchanged, lockedContents } from '../locked-contents.ts'
import { type LockedFile, readLock } from '../lock.ts'
import { type Blob, type BundledModel, BundleError, type BundleManifest } from './manifest.ts'

export interface PlannedInstall {
  readonly models: readonly PlannedModel[]
  /** Room that is needed for what is read from the disks of the bundle. */
  readonly joinBytes: number
  readonly largestBytes: number
}

export interface PlannedModel {
  readonly model: BundledModel
  readonly folder: string
  readonly files: readonly PlannedFile[]
}

export type PlannedFile = {
  readonly file: BundledModel['files'][number]
  /** Absolute. */
  readonly path: string
} & (
  | { readonly how: 'here' }
  /** The content lies here, in another file, or will when the files before it are in place. */
  | { readonly how: 'link'; readonly from: string }
  | { readonly how: 'join'; readonly blob: Blob }
)

/** Throws BundleError when the bundle leaves out what this box does not have. */
export function planInstall(manifest: BundleManifest, dataDir: string): PlannedInstall {
  const blobs = new Map(manifest.blobs.map((blob) => [blob.sha256, blob]))
  const contents = new Map(lockedContents(dataDir).map(({ file, path }) => [file.sha256, path]))
  let joinBytes = 0
  let largestBytes = 0
  const models = manifest.models.map((model) => {
    const folder = modelFolder(dataDir, model.id)
    const locked = lockedFiles(folder)
    const files = model.files.map((file): PlannedFile => {
      const path = join(folder, file.name)
      const own = locked.find(({ name }) => name === file.name)
      if (own?.sha256 === file.sha256 && isUnchanged(own, path)) return { file, path, how: 'here' }
      const from = contents.get(file.sha256)
      if (from !== undefined && from !== path) return { file, path, how: 'link', from }
      const blob = blobs.get(file.sha256)
      if (blob === undefined) throw new BundleError(missingBase(model.id, file.name))
      contents.set(file.sha256, path)
      largestBytes = Math.max(largestBytes, file.bytes)
      joinBytes += Math.max(0, file.bytes - allocatedBytes(`${path}.part`))
      return { file, path, how: 'join', blob }
    })
    return { model, folder, files }
  })
  return { models, joinBytes, largestBytes }
}

/** Room that an earlier run has taken. */
function allocatedBytes(path: string): number {
  const found = statFile(path)
  return found === undefined || found instanceof FileError ? 0 : found.blocks * 512
}

function missingBase(id: string, name: string): string {
  return `the bundle leaves out ${name} of ${id}, which is not on this box; install the bundle that it builds on first, or make it without --base`
}

/** Of a lock that cannot be read nothing counts: it is replaced. */
function lockedFiles(folder: string): readonly LockedFile[] {
  try {
    return readLock(folder)?.files ?? []
  } catch (error) {
    if (error instanceof FileError) return []
    throw error
  }
}
