/** Manifest of an imported model, from the found files and the catalog's earlier entry of the id. */
import { basename } from 'node:path'
import { checkedToml } from '../../catalog/manifest-to-toml.ts'
import { ManifestError } from '../../catalog/parse-manifest.ts'
import type { ModelFile, ModelManifest, ModelType } from '../../core/model.ts'
import { kindsOfWork } from '../../core/work.ts'
import { type FoundFile, type FoundModel, ImportError, type Source } from './found-model.ts'

interface Draft {
  readonly id: string
  /** Earlier manifest of the id, whose prices, aliases and the like are kept. */
  readonly known: ModelManifest | undefined
  /** Aliases added to the earlier ones. */
  readonly aliases: readonly string[]
  /** Returns the path that the manifest gives for a file. */
  readonly pathFor: (file: FoundFile) => string
}

/** Returns the manifest of a detected model, and its text. Throws ImportError if both contradict each other. */
export function draftManifest(
  { manifest: found, files }: FoundModel,
  { id, known, aliases, pathFor }: Draft,
): { readonly manifest: ModelManifest; readonly toml: string } {
  const same = known?.engine === found.engine ? known : undefined
  const added = aliases
    .filter((alias) => !known?.aliases.some((old) => old.id === alias))
    .map((alias) => ({ id: alias }))
  return checkedManifest({
    id,
    type: typeOf(found, known),
    engine: found.engine,
    license: known?.license ?? found.license,
    licenseUrl: known?.licenseUrl,
    acceptLicense: known?.acceptLicense,
    noncommercial: known?.noncommercial,
    contextLength: found.contextLength ?? known?.contextLength,
    dimensions: found.dimensions ?? same?.dimensions,
    aliases: [...(known?.aliases ?? []), ...added],
    files: toModelFiles(files, pathFor),
    pricing: known?.pricing,
    capabilities: { ...known?.capabilities, ...found.capabilities },
    settings: same?.settings,
    encoder: same?.encoder ?? found.encoder,
    transcriber: ofKind(same?.transcriber, found.transcriber),
    diarizer: found.capabilities?.diarization === true ? same?.diarizer : undefined,
    synthesizer: ofKind(same?.synthesizer, found.synthesizer),
    // Empty for a new model: its template decides whether it thinks by default, and each request can say otherwise.
    defaults: known?.defaults ?? {},
  })
}

/**
 * Returns the type from the catalog. Between chat types the files decide: a model without a projector reads only text.
 */
function typeOf(found: FoundModel['manifest'], known: ModelManifest | undefined): ModelType {
  const { modelTypes } = kindsOfWork.chat
  if (known === undefined || (modelTypes.includes(known.type) && modelTypes.includes(found.type))) return found.type
  return known.type
}

/** Returns the known settings, unless the files are of another kind. */
function ofKind<Settings extends { readonly kind: string }>(
  known: Settings | undefined,
  found: Settings | undefined,
): Settings | undefined {
  return known?.kind === found?.kind ? known : found
}

/**
 * Returns the files of the operator's own manifest, found in the source by their names. Files for a GPU are included
 * only if all of them are there. Throws ImportError.
 */
export function filesOfManifest(manifest: ModelManifest, source: Source): FoundFile[] {
  const { gpuFiles = [] } = manifest
  const isHere = ({ name }: ModelFile) =>
    source.files.some((file) => file.name.startsWith(`${name}/`) || file.name === name || basename(file.name) === name)
  const forGpu = gpuFiles.every(isHere) ? namedFiles(gpuFiles, source) : []
  return [...namedFiles(manifest.files, source), ...forGpu.map((file) => ({ ...file, isForGpu: true }))]
}

function namedFiles(files: readonly ModelFile[], source: Source): FoundFile[] {
  return files.flatMap(({ role, name, unpack }) => {
    if (unpack === true) return folderFiles(role, name, source)
    const named = source.files.filter((file) => file.name === name)
    const [file, ...others] = named.length > 0 ? named : source.files.filter((each) => basename(each.name) === name)
    if (file === undefined) throw new ImportError(`${source.given} holds no file ${name}, which the manifest names`)
    if (others.length > 0) throw new ImportError(`${source.given} holds several files ${name}; name the folder of one`)
    if (file.problem !== undefined) throw new ImportError(`${file.path} ${file.problem}`)
    return [{ role, name, path: file.path }]
  })
}

/** Returns the manifest with the place of each file. Throws ImportError. */
export function withFiles(
  manifest: ModelManifest,
  files: readonly FoundFile[],
  pathFor: Draft['pathFor'],
): { readonly manifest: ModelManifest; readonly toml: string } {
  const [gpuFiles = [], needed = []] = [true, false].map((isForGpu) =>
    toModelFiles(
      files.filter((file) => (file.isForGpu ?? false) === isForGpu),
      pathFor,
    ),
  )
  return checkedManifest({ ...manifest, files: needed, gpuFiles: gpuFiles.length === 0 ? undefined : gpuFiles })
}

function folderFiles(role: string, folder: string, { given, files }: Source): FoundFile[] {
  const inside = files.filter(({ name }) => name.startsWith(`${folder}/`))
  if (inside.length === 0) throw new ImportError(`${given} holds no folder ${folder}, which the manifest names`)
  return inside.map(({ name, path, problem }) => {
    if (problem !== undefined) throw new ImportError(`${path} ${problem}`)
    return { role, name, path, folder }
  })
}

/** Returns one entry per file, and one per folder. */
function toModelFiles(files: readonly FoundFile[], pathFor: Draft['pathFor']): ModelFile[] {
  const entries = new Map<string, ModelFile>()
  for (const file of files) {
    const { role, folder } = file
    const name = folder ?? file.name
    const path =
      folder === undefined ? pathFor(file) : pathFor({ ...file, name: folder, path: folderPath(file, folder) })
    entries.set(`${role}/${name}`, { role, name, path, ...(folder === undefined ? {} : { unpack: true }) })
  }
  return [...entries.values()]
}

function folderPath({ name, path }: FoundFile, folder: string): string {
  return path.slice(0, path.length - (name.length - folder.length))
}

function checkedManifest(draft: ModelManifest): { readonly manifest: ModelManifest; readonly toml: string } {
  try {
    return checkedToml(draft)
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    throw new ImportError(`these files cannot be ${draft.id}: ${error.problem}`)
  }
}
