/** Rules for a bundle's manifest that its schema cannot express. */
import { allFiles } from '../../catalog/locate-files.ts'
import { ManifestError, parseManifest } from '../../catalog/parse-manifest.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { ModelManifest } from '../../core/model.ts'
import { checkedLock, type ModelLock } from '../lock.ts'
import { isDeviceName } from './layout.ts'
import type { Blob, BundledModel, BundleManifest } from './manifest.ts'
import type { Content } from './plan-volumes.ts'

/**
 * Returns the contradiction for which a bundle is refused; undefined if everything that it names is listed, once, in
 * the stated size, and no name leads out of its folder.
 */
export function contradictionIn(manifest: BundleManifest): string | undefined {
  const { models, blobs, base, licenses, executable, libraries = [] } = manifest
  const contents: readonly Content[] = [...blobs, ...base]
  const files = models.flatMap((model) => model.files)
  const wanted: readonly Content[] = [...files, ...libraries, ...(executable ? [executable] : [])]
  return (
    repeated('content', contents, ({ sha256 }) => sha256) ??
    repeated('model', models, ({ id }) => id.toLowerCase()) ??
    repeated('library', libraries, ({ name }) => name) ??
    repeated('licence', licenses, ({ name }) => name) ??
    first(licenses, ({ name }) =>
      isDeviceName(name) ? `the licence "${name}" has the name of a device` : undefined,
    ) ??
    first(blobs, partsProblem) ??
    (Number.isSafeInteger(total(contents)) ? undefined : 'its sizes are too large to be added up') ??
    missingContent(wanted, contents) ??
    unusedContent(wanted, blobs) ??
    first(models, ({ id, license }) =>
      license === undefined || licenses.some(({ name }) => name === license)
        ? undefined
        : `${id} has the licence "${license}", which is not there`,
    ) ??
    first(models, modelProblem) ??
    repeated('name of a model', models.flatMap(namesOf), (name) => name)
  )
}

/**
 * Returns a model's manifest as it will be read in `models.d`. Throws ManifestError, and SyntaxError for invalid TOML.
 */
export function modelManifestOf({ id, manifest }: Pick<BundledModel, 'id' | 'manifest'>): ModelManifest {
  return parseManifest(id, Bun.TOML.parse(manifest))
}

/** Returns the path by which a manifest in `models.d` names a file of the model's folder. */
export function pathInManifest(id: string, name: string): string {
  return `../models/${id}/${name}`
}

function first<Row>(rows: readonly Row[], problem: (row: Row) => string | undefined): string | undefined {
  for (const row of rows) {
    const found = problem(row)
    if (found !== undefined) return found
  }
  return undefined
}

function repeated<Row>(what: string, rows: readonly Row[], key: (row: Row) => string): string | undefined {
  const seen = new Set<string>()
  return first(rows, (row) => {
    if (seen.has(key(row))) return `the ${what} ${JSON.stringify(key(row))} comes twice`
    seen.add(key(row))
    return undefined
  })
}

function total(rows: readonly { readonly bytes: number }[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0)
}

function partsProblem({ sha256, bytes, parts }: Blob): string | undefined {
  const sum = total(parts)
  if (sum !== bytes) return `the parts of ${sha256} have ${sum} bytes, not ${bytes}`
  const [only] = parts
  if (parts.length === 1 && only?.sha256 !== sha256) return `the only part of ${sha256} has another sum`
  // An empty part would allow several forms of one manifest.
  return bytes > 0 && parts.some((part) => part.bytes === 0) ? `a part of ${sha256} is empty` : undefined
}

function missingContent(wanted: readonly Content[], contents: readonly Content[]): string | undefined {
  const sizes = new Map(contents.map(({ sha256, bytes }) => [sha256, bytes]))
  return first(wanted, ({ sha256, bytes }) => {
    const size = sizes.get(sha256)
    if (size === undefined) return `nothing in it has the sum ${sha256}`
    return size === bytes ? undefined : `${sha256} has ${size} bytes, not ${bytes}`
  })
}

function unusedContent(wanted: readonly Content[], blobs: readonly Blob[]): string | undefined {
  const used = new Set(wanted.map(({ sha256 }) => sha256))
  const unused = blobs.find(({ sha256 }) => !used.has(sha256))
  return unused && `nothing in it uses ${unused.sha256}`
}

/** Returns the first fault of a model by itself: names of its files, its manifest, and whether both go together. */
export function modelProblem(model: BundledModel): string | undefined {
  const { id } = model
  try {
    const manifest = modelManifestOf(model)
    checkedLock(JSON.stringify(lockOf(model, () => ({ mtimeMs: 0, inode: 0 }), 0, manifest.license)))
    return manifestProblem(model, manifest)
  } catch (error) {
    if (error instanceof FileError) return `the lock of ${JSON.stringify(id)} ${error.message}`
    if (error instanceof ManifestError) return `the manifest of ${id} is wrong: ${error.problem}`
    return `the manifest of ${id} is not TOML`
  }
}

/** Returns the names of a model in requests. Throws as `modelManifestOf` does. */
export function namesOf(model: Pick<BundledModel, 'id' | 'manifest'>): string[] {
  return [model.id, ...modelManifestOf(model).aliases.map(({ id }) => id)]
}

/**
 * Returns the problem with a manifest. Each of its files must lie in the model's folder and be listed, so that the
 * server opens nothing else.
 */
function manifestProblem({ id, files }: BundledModel, manifest: ModelManifest): string | undefined {
  if (manifest.id !== id) return `the manifest of ${id} is that of ${manifest.id}`
  const outside = allFiles(manifest).find(({ name, path }) => path !== undefined && path !== pathInManifest(id, name))
  if (outside !== undefined) return `${id} has a file at ${JSON.stringify(outside.path)}`
  return first(manifest.files, ({ name, unpack }) => {
    const isListed = files.some((file) => file.name === name || (unpack === true && file.name.startsWith(`${name}/`)))
    return isListed ? undefined : `${id} lacks its file ${JSON.stringify(name)}`
  })
}

/** Returns the lock of a bundled model once its files are in place. */
export function lockOf(
  { id, files }: BundledModel,
  statOf: (name: string) => ModelLock['files'][number]['stat'],
  verifiedAtMs: number,
  license?: string,
): ModelLock {
  return {
    format: 1,
    modelId: id,
    license,
    files: files.map((file) => ({ ...file, verifiedAtMs, stat: statOf(file.name) })),
  }
}
