/** A model of this box in the form that a bundle carries, with the paths of its files. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import { isOfFile } from '../../catalog/file-names.ts'
import { ggufParts } from '../../catalog/gguf-file.ts'
import { modelFolder } from '../../catalog/locate-files.ts'
import { manifestToToml } from '../../catalog/manifest-to-toml.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import { hashFile } from '../hash-file.ts'
import { readLock } from '../lock.ts'
import { modelManifestOf, pathInManifest } from './check-manifest.ts'
import { type BundledModel, BundleError } from './manifest.ts'

export interface ModelSource {
  readonly model: Omit<BundledModel, 'license'>
  readonly manifest: ModelManifest
  /** Paths of the files by checksum. */
  readonly paths: ReadonlyMap<string, string>
}

/**
 * Returns a model on this disk. Files without a lock are hashed, which takes a while. Throws BundleError if the model
 * is not here.
 */
export async function modelSource(entry: CatalogEntry, dataDir: string, signal?: AbortSignal): Promise<ModelSource> {
  const { manifest, status } = entry
  const { id } = manifest
  if (manifest.upstream !== undefined)
    throw new BundleError(
      `${id} has no files to carry: upstream servers serve it, and each box names them in a manifest of its own`,
    )
  if (status.kind !== 'ready') {
    const reason =
      status.kind === 'broken' ? `is broken: ${status.reason}` : `is not on this disk; 'inferd pull ${id}' gets it`
    throw new BundleError(`${id} ${reason}`)
  }
  return lockedSource(entry, dataDir) ?? toSource(manifest, await unlockedFiles(entry, signal))
}

/**
 * Returns a model whose files a lock lists, without hashing them; undefined if there is no lock, or upstream servers
 * serve the model now. Throws FileError if the lock is damaged.
 */
export function lockedSource(
  { manifest, gpuFilePaths }: Pick<CatalogEntry, 'manifest' | 'gpuFilePaths'>,
  dataDir: string,
): ModelSource | undefined {
  if (manifest.upstream !== undefined) return undefined
  const folder = modelFolder(dataDir, manifest.id)
  // Files for a GPU are included only if all of them are whole.
  const leftOut = gpuFilePaths === undefined ? (manifest.gpuFiles ?? []) : []
  const files = readLock(folder)?.files.filter(({ name }) => !leftOut.some((file) => isOfFile(name, file)))
  return (
    files &&
    toSource(
      manifest,
      files.map(({ verifiedAtMs: _, stat: __, ...file }) => ({ ...file, path: join(folder, file.name) })),
    )
  )
}

function toSource(manifest: ModelManifest, files: readonly SourceFile[]): ModelSource {
  const { id } = manifest
  const ownPath = (file: ModelFile) =>
    file.path === undefined ? file : { ...file, path: pathInManifest(id, file.name) }
  const own = {
    ...manifest,
    files: manifest.files.map(ownPath),
    ...(manifest.gpuFiles && { gpuFiles: manifest.gpuFiles.map(ownPath) }),
  }
  const model = {
    id,
    manifest: manifestToToml(own),
    files: files.map(({ path: _, ...file }) => file),
  }
  if (!Bun.deepEquals(modelManifestOf(model), own)) {
    throw new Error(`the manifest of ${id} cannot be written down: this is a bug`)
  }
  return { model, manifest, paths: new Map(files.map(({ sha256, path }) => [sha256, path])) }
}

type SourceFile = BundledModel['files'][number] & { readonly path: string }

async function unlockedFiles(entry: CatalogEntry, signal?: AbortSignal): Promise<SourceFile[]> {
  const { manifest, filePaths, gpuFilePaths = {} } = entry
  const files: SourceFile[] = []
  const opened = [
    ...Object.entries(filePaths).map(([role, path]) => ({ role, first: path, named: manifest.files })),
    ...Object.entries(gpuFilePaths).map(([role, path]) => ({ role, first: path, named: manifest.gpuFiles })),
  ]
  for (const { role, first, named = [] } of opened) {
    // All files of a role lie in one folder. Manifests of older versions name only the first part of a split model.
    const ofRole = named.filter((file) => file.role === role)
    const names = new Map(ofRole.map((file) => [join(dirname(first), basename(file.path ?? file.name)), file.name]))
    if (statSync(first).isDirectory()) {
      throw new BundleError(`${manifest.id} is used where it lies, in ${first}; import it without --in-place first`)
    }
    const parts = first.endsWith('.gguf') ? ggufParts(first) : [first]
    for (const path of new Set([...parts, ...names.keys()])) {
      const sums = await hashFile(path, { signal })
      files.push({
        role,
        name: names.get(path) ?? basename(path),
        source: `file://${path}`,
        path,
        ...sums,
        chunkSums: [...sums.chunkSums],
      })
    }
  }
  return files
}
