/** Changes that a bundle makes on this box, planned before anything is written. */
import { join } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import { partPath } from '../download/part-file.ts'
import { lockedContents } from '../locked-contents.ts'
import { type Blob, type BundledModel, BundleError, type BundleManifest } from './manifest.ts'

export interface PlannedInstall {
  readonly models: readonly PlannedModel[]
  /** Bytes to be read from the disks of the bundle. */
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
  /** Absolute path. */
  readonly path: string
} & (
  | { readonly how: 'here' }
  /** The content is linked from the file of another model here. */
  | { readonly how: 'link'; readonly from: string }
  /** The content is joined from parts. `twin` is the path of an earlier file of the bundle with the same content. */
  | { readonly how: 'join'; readonly blob: Blob; readonly twin: string | undefined }
)

/** Returns the plan. Throws BundleError if the bundle leaves out contents that this box lacks. */
export function planInstall(manifest: BundleManifest, dataDir: string): PlannedInstall {
  const blobs = new Map(manifest.blobs.map((blob) => [blob.sha256, blob]))
  const contents = lockedContents(dataDir)
  const sums = new Map(contents.map(({ file, path }) => [path, file.sha256]))
  const places = new Map(contents.map(({ file, path }) => [file.sha256, path]))
  const twins = new Map<string, string>()
  let joinBytes = 0
  let largestBytes = 0
  const models = manifest.models.map((model) => {
    const folder = modelFolder(dataDir, model.id)
    const files = model.files.map((file): PlannedFile => {
      const path = join(folder, file.name)
      if (sums.get(path) === file.sha256) return { file, path, how: 'here' }
      const from = places.get(file.sha256)
      if (from !== undefined) return { file, path, how: 'link', from }
      const blob = blobs.get(file.sha256)
      if (blob === undefined) throw new BundleError(missingBase(model.id, file.name))
      const twin = twins.get(file.sha256)
      twins.set(file.sha256, path)
      largestBytes = Math.max(largestBytes, file.bytes)
      if (twin === undefined) joinBytes += Math.max(0, file.bytes - allocatedBytes(partPath(path)))
      return { file, path, how: 'join', blob, twin }
    })
    return { model, folder, files }
  })
  return { models, joinBytes, largestBytes }
}

/**
 * Returns the bytes that the bundle's libraries need in a folder. A library of the right size that is already there
 * needs none; its checksum is compared later. Throws BundleError if the bundle leaves out libraries that the folder
 * lacks.
 */
export function planLibraries(
  folder: string,
  { libraries = [], blobs }: Pick<BundleManifest, 'libraries' | 'blobs'>,
): Pick<PlannedInstall, 'joinBytes' | 'largestBytes'> {
  const wanted = libraries.filter(({ name, bytes }) => {
    const found = statFile(join(folder, name))
    return found === undefined || found instanceof FileError || found.size !== bytes
  })
  const absent = wanted.find((library) => !blobs.some(({ sha256 }) => sha256 === library.sha256))
  if (absent !== undefined)
    throw new BundleError(`the bundle leaves out ${absent.name}, which is not on this box; make it without --base`)
  const rest = wanted.map(({ name, bytes }) => Math.max(0, bytes - allocatedBytes(partPath(join(folder, name)))))
  return {
    joinBytes: rest.reduce((sum, bytes) => sum + bytes, 0),
    largestBytes: Math.max(0, ...wanted.map(({ bytes }) => bytes)),
  }
}

/** Returns the disk space that an earlier run has taken. */
function allocatedBytes(path: string): number {
  const found = statFile(path)
  return found === undefined || found instanceof FileError ? 0 : found.blocks * 512
}

function missingBase(id: string, name: string): string {
  return `the bundle leaves out ${name} of ${id}, which is not on this box; install the bundle that it builds on first, or make it without --base`
}
