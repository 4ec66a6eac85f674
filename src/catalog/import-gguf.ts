import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { ModelManifest } from '../core/model.ts'
import { maximumTokens } from '../engines/shared-settings.ts'
import { GgufFiles, ggufParts } from './gguf-file.ts'
import type { GgufHeader } from './gguf-header.ts'
import { modelFolder } from './locate-files.ts'
import { manifestToToml } from './manifest-to-toml.ts'
import { operatorFolder } from './operator-manifests.ts'
import { ManifestError, parseManifest } from './parse-manifest.ts'
import { FileError, unreadable } from './stat-file.ts'

/** Why a file was not imported, as "<what> <reason>" for people. */
export class ImportError extends Error {
  override name = 'ImportError'
}

export interface ImportOptions {
  /** The GGUF file; of a split model its first part. */
  readonly file: string
  /** Its form has been checked. */
  readonly id: string
  readonly dataDir: string
  /** Use the file where it lies instead of linking or copying it into the data folder. */
  readonly isInPlace: boolean
  /** What the catalog knows of this id: prices, aliases and the like are kept. */
  readonly known: ModelManifest | undefined
  /** Added to the known ones. */
  readonly aliases: readonly string[]
}

export interface ImportedModel {
  readonly header: GgufHeader
  /** The model's file as the server will read it. */
  readonly path: string
  readonly manifestPath: string
  /** How the file got there. */
  readonly placement: 'in-place' | 'linked' | 'copied'
}

/**
 * Makes a GGUF file a model of this server: checks its header, puts it into `<data>/models/<org>/<name>/`, and then
 * writes the manifest, which a running server sees at once. Everything appears under its name only when it is whole.
 * Throws ImportError.
 */
export async function importGguf(options: ImportOptions): Promise<ImportedModel> {
  const { id, dataDir, isInPlace } = options
  const file = await realpath(options.file).catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new ImportError(`${options.file} ${isMissing ? 'is not there' : unreadable(error).message}`)
  })
  const header = checkedHeader(file)
  const parts = ggufParts(file)
  const folder = modelFolder(dataDir, id)
  const manifestPath = importedManifestPath(dataDir, id)
  const path = isInPlace ? file : join(folder, basename(file))
  const written = isInPlace ? path : relative(dirname(manifestPath), path)
  const manifest = checkedManifest(toManifest(options, header, written))
  const placement = isInPlace ? 'in-place' : await placeAll(parts, folder)
  await writeWhole(manifestPath, manifest)
  return { header, path, manifestPath, placement }
}

/** The manifest that an import writes: the id as in URLs, so that no two ids share a file. */
export function importedManifestPath(dataDir: string, id: string): string {
  return join(operatorFolder(dataDir), `${encodeURIComponent(id)}.toml`)
}

function checkedHeader(file: string): GgufHeader {
  try {
    return new GgufFiles().checkChatModel(file)
  } catch (error) {
    if (error instanceof FileError) throw new ImportError(`${file} ${error.message}`)
    throw error
  }
}

/** The manifest as the server will read it. */
function checkedManifest(manifest: ModelManifest): string {
  const toml = manifestToToml(manifest)
  try {
    parseManifest('', Bun.TOML.parse(toml))
    return toml
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    throw new ImportError(`a GGUF file cannot be ${manifest.id}: ${error.problem}`)
  }
}

function toManifest({ id, known, aliases }: ImportOptions, header: GgufHeader, path: string): ModelManifest {
  const added = aliases
    .filter((alias) => !known?.aliases.some((old) => old.id === alias))
    .map((alias) => ({ id: alias }))
  return {
    id,
    // Without an image encoder beside it, a vision model answers text.
    type: known?.type ?? 'chat',
    engine: 'llama',
    license: known?.license ?? (header.license?.includes(' ') ? undefined : header.license),
    contextLength: contextLengthOf(header) ?? known?.contextLength,
    dimensions: undefined,
    aliases: [...(known?.aliases ?? []), ...added],
    files: [{ role: 'model', name: basename(path), path }],
    pricing: known?.pricing,
    capabilities: known?.capabilities ?? {},
    settings: known?.engine === 'llama' ? known.settings : undefined,
    // The model's template decides whether it thinks by default; every request can say otherwise.
    defaults: known?.defaults ?? {},
  }
}

/** What a manifest may say: a file may claim anything. */
function contextLengthOf({ contextLength }: GgufHeader): number | undefined {
  if (contextLength === undefined || !Number.isInteger(contextLength)) return undefined
  return Math.min(contextLength, maximumTokens)
}

async function placeAll(parts: readonly string[], folder: string): Promise<'linked' | 'copied'> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const placements: ('linked' | 'copied')[] = []
  for (const part of parts) placements.push(await placeOne(part, join(folder, basename(part))))
  return placements.includes('copied') ? 'copied' : 'linked'
}

async function placeOne(source: string, target: string): Promise<'linked' | 'copied'> {
  if (await isSameFile(source, target)) return 'linked'
  const temporary = `${target}.${process.pid}.tmp`
  try {
    await rm(temporary, { force: true })
    const placement = await linkOrCopy(source, temporary)
    await rename(temporary, target)
    return placement
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ImportError(`${target} cannot be written: ${reason}`)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    await link(source, target)
    return 'linked'
  } catch {
    // Another file system, or one without links: the copy below says what is really wrong, if anything is.
    await copyFile(source, target, constants.COPYFILE_FICLONE)
    await flush(target)
    return 'copied'
  }
}

async function isSameFile(left: string, right: string): Promise<boolean> {
  const found = await stat(right).catch(() => undefined) // not there yet: the usual case
  if (found === undefined) return false
  const { dev, ino } = await stat(left)
  return found.dev === dev && found.ino === ino
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // A leading dot: the server must not read it half written.
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  await Bun.write(temporary, text)
  await flush(temporary)
  await rename(temporary, path)
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
