import { basename } from 'node:path'
import type { InstalledModel, ModelAlias, ModelFile, ModelManifest, TemplateFacts } from '../core/model.ts'
import type { FilesState } from '../core/model-state.ts'
import { CheckNotes } from './check-note.ts'
import { type DamagedFile, describeDamage, readDamage } from './damage-note.ts'
import { isOfFile } from './file-names.ts'
import { filesState } from './files-state.ts'
import { GgufFiles } from './gguf-file.ts'
import { joinManifests, type LoadedManifest, type ManifestProblem } from './join-manifests.ts'
import { filesVersion, type LocatedFile, locateFiles, modelFolder } from './locate-files.ts'
import { OperatorManifests, operatorFolder } from './operator-manifests.ts'
import { type Overrides, overrideProblems, withOverrides } from './overrides.ts'
import { parseManifest } from './parse-manifest.ts'
import { readPullNote } from './pull-note.ts'
import { FileError, statFile } from './stat-file.ts'

export interface ShippedManifest {
  /** Path in the repository, e.g. `models/vision/starter-chat.toml`. */
  readonly file: string
  /** The parsed TOML, not yet checked. */
  readonly content: unknown
}

export interface CatalogOptions {
  readonly shipped: readonly ShippedManifest[]
  /** Build time of the shipped catalog, milliseconds UTC. */
  readonly shippedAtMs: number
  readonly dataDir: string
  /** Folder of the operator's manifests. Defaults to that of the data folder. */
  readonly manifestsFolder?: string | undefined
  /** Returns the path on this disk of a file of the repository; undefined when this program does not carry it. */
  readonly shippedFile: (repositoryPath: string) => string | undefined
  readonly overrides?: Overrides
  /** Called once for each manifest that is left out. */
  readonly onProblem?: (problem: string) => void
}

/** A model of the catalog. Its paths are given whether or not the files exist. */
export interface CatalogEntry extends InstalledModel {
  readonly status: FilesState
  readonly addedAtMs: number
  /** True if the model's file names tokens for filling in the middle. Absent unless a GGUF file is here. */
  readonly fillsGaps?: boolean
  /** Facts of the model's chat template. Absent for a missing file and for other formats than GGUF. */
  readonly template?: TemplateFacts
  /** Context that the model's file states, in tokens. Absent as above. */
  readonly statedContext?: number | undefined
  /** Time of the last check of the model's servers. The manifest then omits the abilities that they lack. */
  readonly checkedAtMs?: number | undefined
}

export interface ResolvedModel {
  /** Id or alias in the caller's spelling. */
  readonly requestedId: string
  /** Undefined when the canonical id was asked for. */
  readonly alias: ModelAlias | undefined
  readonly entry: CatalogEntry
}

interface Index {
  readonly models: readonly LoadedManifest[]
  readonly byId: ReadonlyMap<string, { readonly model: LoadedManifest; readonly alias: ModelAlias | undefined }>
  readonly problems: readonly ManifestProblem[]
}

/**
 * The models this server knows: the shipped ones and the operator's own in `<data>/models.d`, which join them or, by
 * id, take their place. Changes on the disk count at once: each call looks at the folder's and the files' times.
 */
export class Catalog {
  readonly #options: CatalogOptions
  readonly #shipped: readonly LoadedManifest[]
  readonly #operator: OperatorManifests
  readonly #gguf = new GgufFiles()
  readonly #checks: CheckNotes
  #overrides: Overrides
  /** The operator's manifests as last read. */
  #read: ReturnType<OperatorManifests['readIfChanged']>
  #index: Index | undefined
  /** Problems that were told. */
  #told = new Set<string>()

  /** Throws ManifestError when a shipped manifest is wrong: a bug of this program. */
  constructor(options: CatalogOptions) {
    this.#options = options
    this.#overrides = options.overrides ?? {}
    this.#shipped = options.shipped.map(({ file, content }) => ({
      file,
      isShipped: true,
      manifest: parseManifest(file, content),
      addedAtMs: options.shippedAtMs,
    }))
    this.#operator = new OperatorManifests(options.manifestsFolder ?? operatorFolder(options.dataDir))
    this.#checks = new CheckNotes(options.dataDir)
  }

  /** Returns all models: usable ones first; in each group the shipped ones, then the operator's by file name. */
  entries(): readonly CatalogEntry[] {
    const entries = this.#current().models.map((model) => this.#entry(model))
    const isReady = ({ status }: CatalogEntry) => status.kind === 'ready'
    return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
  }

  /** Returns the model of a canonical id or an alias. */
  resolve(id: string): ResolvedModel | undefined {
    const found = this.#current().byId.get(id)
    if (found === undefined) return undefined
    return { requestedId: id, alias: found.alias, entry: this.#entry(found.model) }
  }

  /** Returns whether an operator's manifest of model `id` cannot use `name`: see the rules of `joinManifests`. */
  isTaken(name: string, id: string): boolean {
    const found = this.#current().byId.get(name)
    if (found === undefined || found.model.manifest.id === id) return false
    return !found.model.isShipped || found.alias === undefined
  }

  /** Returns the path of the operator's manifest of a model; undefined if there is none, or the model is shipped. */
  operatorManifest(id: string): string | undefined {
    const found = this.#current().byId.get(id)?.model
    return found === undefined || found.isShipped ? undefined : found.file
  }

  /** Returns the manifest as written, without the result of a check of its servers. */
  writtenManifest(id: string): ModelManifest | undefined {
    return this.#current().byId.get(id)?.model.manifest
  }

  /** Returns the places of all files of a model, also of those that are not here, in the manifest's order. */
  filesOf(id: string): readonly LocatedFile[] {
    const found = this.#current().byId.get(id)
    return found === undefined ? [] : locateFiles(found.model, this.#options)
  }

  /** Returns the operator's manifests that are left out, with the reasons. */
  problems(): readonly ManifestProblem[] {
    return this.#current().problems
  }

  /** Overrides in force. */
  get overrides(): Overrides {
    return this.#overrides
  }

  /** Puts other overrides in force at once. The caller has checked them. */
  override(overrides: Overrides): void {
    this.#overrides = overrides
    this.#index = undefined
  }

  /** Returns the faults of the operator's overrides, each with the model it names. */
  overrideProblems(): readonly string[] {
    const { byId } = this.#current()
    const find = (id: string) => {
      const found = byId.get(id)
      return found && { manifest: found.model.manifest, isAlias: found.alias !== undefined }
    }
    return overrideProblems(this.#overrides, find, [...byId.keys()])
  }

  #current(): Index {
    const changed = this.#operator.readIfChanged()
    if (this.#index !== undefined && changed === undefined) return this.#index
    this.#read = changed ?? this.#read
    const { manifests, problems } = this.#read ?? { manifests: [], problems: [] }
    const joined = joinManifests(this.#shipped, manifests)
    const models = joined.models.map((model) => ({
      ...model,
      manifest: withOverrides(model.manifest, this.#overrides),
    }))
    this.#index = { models, byId: indexOf(models), problems: [...problems, ...joined.problems] }
    const texts = this.#index.problems.map(problemText)
    for (const text of texts) if (!this.#told.has(text)) this.#options.onProblem?.(text)
    this.#told = new Set(texts)
    return this.#index
  }

  #entry(model: LoadedManifest): CatalogEntry {
    const { addedAtMs } = model
    const { manifest, checkedAtMs } = this.#checks.apply(model.manifest)
    const files = locateFiles(model, this.#options)
    const [gpu = [], needed = []] = [true, false].map((isForGpu) => files.filter((file) => file.isForGpu === isForGpu))
    const filePaths = firstOfRoles(needed)
    const present = filesState(manifest, needed, this.#gguf)
    const damage = files.length === 0 ? [] : readDamage(modelFolder(this.#options.dataDir, manifest.id))
    const found = withDamage(present, damage, manifest.gpuFiles)
    const pull = found.kind === 'available' ? readPullNote(modelFolder(this.#options.dataDir, manifest.id)) : undefined
    const status = pull === undefined ? found : { kind: 'downloading' as const, ...pull }
    const header = status.kind === 'ready' ? this.#gguf.known(filePaths.model ?? '') : undefined
    const facts = header && {
      fillsGaps: header.fillsGaps,
      template: header.template,
      statedContext: header.contextLength,
    }
    const gpuFilePaths = areWhole(gpu, damage, manifest) ? firstOfRoles(gpu) : undefined
    // Files that no load uses yet do not count: otherwise a pull would reload the model for each of its files.
    const version = filesVersion(gpuFilePaths === undefined ? needed : files)
    const paths = { filePaths, ...(gpuFilePaths && { gpuFilePaths }), filesVersion: version }
    return { manifest, status, ...paths, addedAtMs, checkedAtMs, ...facts }
  }
}

function firstOfRoles(files: readonly LocatedFile[]): Readonly<Record<string, string>> {
  // If several files have one role, the first one counts.
  return Object.fromEntries(files.toReversed().map(({ role, path }) => [role, path]))
}

/** Returns the status of a model. One with damaged files is broken, although they can be read. */
function withDamage(
  status: FilesState,
  damaged: readonly DamagedFile[],
  gpuFiles: readonly ModelFile[] = [],
): FilesState {
  const damage = damaged.find((file) => !gpuFiles.some((each) => isOfFile(file.name, each)))
  if (status.kind !== 'ready' || damage === undefined) return status
  return { kind: 'broken', reason: `${basename(damage.name)} ${describeDamage(damage)}` }
}

/** Returns whether the model has files for a GPU, all of them present and none known to be damaged. */
function areWhole(
  files: readonly LocatedFile[],
  damaged: readonly DamagedFile[],
  { gpuFiles = [] }: ModelManifest,
): boolean {
  if (files.length === 0 || damaged.some((damage) => gpuFiles.some((file) => isOfFile(damage.name, file)))) return false
  return files.every(({ path, isFolder }) => {
    const found = statFile(path)
    if (found === undefined || found instanceof FileError) return false
    return isFolder ? found.isDirectory() : found.isFile()
  })
}

function problemText({ file, reason }: ManifestProblem): string {
  return `${file}: ${reason}`
}

function indexOf(models: readonly LoadedManifest[]): Index['byId'] {
  const byId = new Map<string, { model: LoadedManifest; alias: ModelAlias | undefined }>()
  for (const model of models) {
    byId.set(model.manifest.id, { model, alias: undefined })
    for (const alias of model.manifest.aliases) byId.set(alias.id, { model, alias })
  }
  return byId
}
