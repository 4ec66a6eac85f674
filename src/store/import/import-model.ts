import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { importedManifestPath } from '../../catalog/operator-manifests.ts'
import { readPullNote } from '../../catalog/pull-note.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import { type InstalledModel, type ModelManifest, type ModelType, sees } from '../../core/model.ts'
import { openArchive } from '../archive/open-archive.ts'
import { unpackArchive } from '../archive/unpack-archive.ts'
import { hideModel } from '../cleanup/remove-model.ts'
import { asDiskError } from '../download/disk-error.ts'
import { writeDurably } from '../durable.ts'
import { lockedContents } from '../locked-contents.ts'
import { claimStaging, type StagingFolder } from '../staging-folder.ts'
import { detectModel } from './detect.ts'
import { draftManifest, filesOfManifest, withFiles } from './draft-manifest.ts'
import { type FoundFile, type FoundModel, ImportError, type Source } from './found-model.ts'
import { readSource } from './read-source.ts'
import { stageFiles } from './stage-files.ts'

export interface ImportOptions {
  /** A file, a folder or an archive. */
  readonly path: string
  /** Id of the model, whose form has been checked. */
  readonly id: string
  readonly dataDir: string
  /** Use the files where they lie instead of linking or copying them into the data folder. */
  readonly isInPlace: boolean
  /** The catalog's manifest of this id, whose prices, aliases and the like are kept. */
  readonly known: ModelManifest | undefined
  /** Aliases added to the known ones. */
  readonly aliases: readonly string[]
  readonly type?: ModelType | undefined
  readonly mmproj?: string | undefined
  readonly mtp?: string | undefined
  /** The operator's manifest, instead of one made from the found files. */
  readonly manifest?: ModelManifest | undefined
  /** New name of the model's file, if its own is meaningless. */
  readonly fileName?: string | undefined
  /** Only say what would be done. */
  readonly isTrial?: boolean | undefined
  /**
   * Loads the model as the server would, before the catalog lists it. Returns remarks for the operator. Throws with the
   * engine's words.
   */
  readonly probe?: ((model: InstalledModel) => Promise<readonly string[]>) | undefined
  /** Called with the bytes read so far, and the total. */
  readonly onBytes?: ((bytes: number, totalBytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ImportedModel {
  readonly found: Pick<FoundModel, 'description' | 'notes' | 'facts'>
  readonly manifest: ModelManifest
  /** The manifest's text. */
  readonly toml: string
  /** Path of the model's first file, as the server will read it. */
  readonly path: string
  readonly manifestPath: string
  /** Placement of the files. Undefined if nothing was done. */
  readonly placement: 'in-place' | 'linked' | 'copied' | undefined
}

/**
 * Makes a file, folder or archive on this disk a model of this server: detects its kind, checks it, puts its files and
 * their lock into `<data>/models/<org>/<name>/`, and writes the manifest last, which a running server sees at once.
 * Nothing appears under its name before it is complete. Throws ImportError and DiskFullError; then nothing has changed.
 */
export async function importModel(options: ImportOptions): Promise<ImportedModel> {
  try {
    return archiveAt(options.path) === undefined
      ? await importSource(readSource(options.path), options)
      : await importArchive(options)
  } catch (error) {
    if (error instanceof FileError) throw new ImportError(`${options.path} ${error.message}`)
    const told = await asDiskError(error, modelFolder(options.dataDir, options.id), undefined)
    if (told instanceof Error && 'syscall' in told)
      throw new ImportError(`${options.path} cannot be imported: ${told.message}`)
    throw told
  }
}

async function importArchive(options: ImportOptions): Promise<ImportedModel> {
  if (options.isInPlace) throw new ImportError(`${options.path} is an archive, which cannot be used where it lies`)
  using staging = claimed(options)
  const unpacked = join(staging.path, 'unpacked')
  await unpackArchive(options.path, unpacked, { signal: options.signal })
  const imported = await importSource({ ...readSource(unpacked), given: options.path }, options, staging)
  return { ...imported, placement: imported.placement && 'copied' }
}

async function importSource(source: Source, options: ImportOptions, staging?: StagingFolder): Promise<ImportedModel> {
  const { id, dataDir, isInPlace } = options
  const folder = modelFolder(dataDir, id)
  const manifestPath = importedManifestPath(dataDir, id)
  const { found, files, manifest, toml } = describe(source, options, ({ path, name }) =>
    isInPlace ? path : relative(dirname(manifestPath), join(folder, name)),
  )
  const [first] = files
  const imported = {
    found,
    manifest,
    toml,
    path: isInPlace ? (first?.path ?? '') : join(folder, first?.name ?? ''),
    manifestPath,
  }
  if (options.isTrial === true) return { ...imported, placement: undefined }
  requireNoPull(options)
  if (isInPlace) {
    const remarks = await options.probe?.({ manifest, ...pathsOf(files, ({ path }) => path) })
    await mkdir(dirname(manifestPath), { recursive: true, mode: 0o700 })
    await writeDurably(manifestPath, toml)
    // The model's earlier files are removed, unless the operator put the new ones into their folder.
    if (!files.some(({ path }) => path.startsWith(`${folder}/`))) await (await hideModel(dataDir, id))?.remove()
    return { ...withRemarks(imported, remarks), placement: 'in-place' }
  }
  using own = staging === undefined ? claimed(options) : undefined
  const totalBytes = totalOf(files)
  const staged = await stageFiles({
    files,
    folder,
    staging: (staging ?? own)?.path ?? '',
    source: options.path,
    others: lockedContents(dataDir).filter(({ modelId }) => modelId !== id),
    onBytes: (bytes) => options.onBytes?.(bytes, totalBytes),
    signal: options.signal,
  })
  const remarks = await options.probe?.({ manifest, ...pathsOf(files, ({ name }) => staged.pathOf(name)) })
  requireNoPull(options)
  await staged.commit({ modelId: id, license: manifest.license }, { path: manifestPath, toml })
  return { ...withRemarks(imported, remarks), placement: staged.placement }
}

function withRemarks<Imported extends Pick<ImportedModel, 'found'>>(
  imported: Imported,
  remarks: readonly string[] = [],
): Imported {
  const { found } = imported
  return { ...imported, found: { ...found, notes: [...found.notes, ...remarks] } }
}

function claimed({ dataDir, id }: ImportOptions): StagingFolder {
  const staging = claimStaging(modelFolder(dataDir, id))
  if (staging === undefined) throw new ImportError(`another import of ${id} is running; wait until it has ended`)
  return staging
}

/** Refuses an import during a pull, which would continue in a replaced folder. */
function requireNoPull({ dataDir, id }: ImportOptions): void {
  const pull = readPullNote(modelFolder(dataDir, id))
  if (pull !== undefined) throw new ImportError(`a pull of ${id} is running (pid ${pull.pid}); end it first`)
}

/** Returns the description of the files, by the operator's manifest or by their content. */
function describe(source: Source, options: ImportOptions, pathFor: (file: FoundFile) => string) {
  const { manifest: own, fileName, mmproj, mtp, known, type = known?.type } = options
  if (own !== undefined) {
    const files = filesOfManifest(own, source)
    const found = { description: `${own.type} as its manifest says`, notes: [], facts: {} }
    return { found, files, ...withFiles(own, files, pathFor) }
  }
  const found = renamed(detectModel(source, { type, mmproj, mtp }), fileName)
  const drafted = draftManifest(found, { ...options, pathFor })
  const notes =
    known === undefined || !sees(known) || sees(drafted.manifest)
      ? found.notes
      : [...found.notes, 'in the catalog the model sees; without its projector (--mmproj FILE) it reads text alone']
  return { found: { ...found, notes }, files: found.files, ...drafted }
}

/** Returns paths by role in the catalog's form: the first file of a role, or its folder. */
function pathsOf(
  files: readonly FoundFile[],
  pathOf: (file: FoundFile) => string,
): Pick<InstalledModel, 'filePaths' | 'gpuFilePaths'> {
  const filePaths: Record<string, string> = {}
  const gpuFilePaths: Record<string, string> = {}
  for (const file of files) {
    const { role, name, folder, isForGpu } = file
    const paths = isForGpu === true ? gpuFilePaths : filePaths
    const path = pathOf(file)
    paths[role] ??= folder === undefined ? path : path.slice(0, path.length - (name.length - folder.length))
  }
  return { filePaths, ...(Object.keys(gpuFilePaths).length > 0 && { gpuFilePaths }) }
}

/** Renames the first file, if it is the only one of its role. */
function renamed(found: FoundModel, fileName: string | undefined): FoundModel {
  const [first] = found.files
  if (fileName === undefined || first === undefined) return found
  return { ...found, files: found.files.map((file) => (file === first ? { ...file, name: fileName } : file)) }
}

function totalOf(files: readonly FoundFile[]): number {
  return files.reduce((total, { path }) => total + statSync(path).size, 0)
}

function archiveAt(path: string): ReturnType<typeof openArchive> {
  const found = statFile(path)
  return found === undefined || found instanceof FileError || !found.isFile() ? undefined : openArchive(path)
}
