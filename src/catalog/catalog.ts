import { basename } from 'node:path'
import type { InstalledModel, ModelAlias, ModelManifest, ModelStatus, TemplateFacts } from '../core/model.ts'
import { CheckNotes } from './check-note.ts'
import { describeDamage, readDamage } from './damage-note.ts'
import { GgufFiles } from './gguf-file.ts'
import { joinManifests, type LoadedManifest, type ManifestProblem } from './join-manifests.ts'
import { filesVersion, type LocatedFile, locateFiles, modelFolder } from './locate-files.ts'
import { modelStatus } from './model-status.ts'
import { OperatorManifests } from './operator-manifests.ts'
import { type Overrides, overrideProblems, withOverrides } from './overrides.ts'
import { parseManifest } from './parse-manifest.ts'
import { readPullNote } from './pull-note.ts'

export interface ShippedManifest {
  /** Path in the repository, e.g. `models/vision/starter-chat.toml`. */
  readonly file: string
  /** The parsed TOML, not yet checked. */
  readonly content: unknown
}

export interface CatalogOptions {
  readonly shipped: readonly ShippedManifest[]
  /** When the shipped catalog was put together, milliseconds UTC. */
  readonly shippedAtMs: number
  readonly dataDir: string
  /** Where a file of the repository lies on this disk; undefined when this program does not carry it. */
  readonly shippedFile: (repositoryPath: string) => string | undefined
  readonly overrides?: Overrides
  /** Called once for each manifest that is left out. */
  readonly onProblem?: (problem: string) => void
}

/** The paths are given whether or not the files are there. */
export interface CatalogEntry extends InstalledModel {
  readonly status: ModelStatus
  readonly addedAtMs: number
  /** Whether its file names tokens for filling in the middle; absent: it is no GGUF file, or is not here. */
  readonly fillsGaps?: boolean
  /** Facts of its chat template. Absent where it is no GGUF file, or is not here. */
  readonly template?: TemplateFacts
  /** When its servers were last checked; the manifest is then without what they lack. */
  readonly checkedAtMs?: number | undefined
}

export interface ResolvedModel {
  /** As the caller wrote it. */
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
  #index: Index | undefined

  /** Throws ManifestError when a shipped manifest is wrong: a bug of this program. */
  constructor(options: CatalogOptions) {
    this.#options = options
    this.#shipped = options.shipped.map(({ file, content }) => ({
      file,
      isShipped: true,
      manifest: parseManifest(file, content),
      addedAtMs: options.shippedAtMs,
    }))
    this.#operator = new OperatorManifests(options.dataDir)
    this.#checks = new CheckNotes(options.dataDir)
  }

  /** All models: those that can be used now, then the rest; in each the shipped ones, then the operator's by file name. */
  entries(): readonly CatalogEntry[] {
    const entries = this.#current().models.map((model) => this.#entry(model))
    const isReady = ({ status }: CatalogEntry) => status.kind === 'ready'
    return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
  }

  /** The model behind a canonical id or an alias. */
  resolve(id: string): ResolvedModel | undefined {
    const found = this.#current().byId.get(id)
    if (found === undefined) return undefined
    return { requestedId: id, alias: found.alias, entry: this.#entry(found.model) }
  }

  /** Whether an operator's manifest of model `id` cannot use `name`: see the rules of `joinManifests`. */
  isTaken(name: string, id: string): boolean {
    const found = this.#current().byId.get(name)
    if (found === undefined || found.model.manifest.id === id) return false
    return !found.model.isShipped || found.alias === undefined
  }

  /** The operator's manifest of a model; undefined when there is none, also when the model is a shipped one. */
  operatorManifest(id: string): string | undefined {
    const found = this.#current().byId.get(id)?.model
    return found === undefined || found.isShipped ? undefined : found.file
  }

  /** The manifest of a model as it is written, whatever a check of its servers found. */
  writtenManifest(id: string): ModelManifest | undefined {
    return this.#current().byId.get(id)?.model.manifest
  }

  /** Where all files of a model lie or would lie, in the manifest's order. */
  filesOf(id: string): readonly LocatedFile[] {
    const found = this.#current().byId.get(id)
    return found === undefined ? [] : locateFiles(found.model, this.#options)
  }

  /** Which of the operator's manifests are left out, and why. */
  problems(): readonly ManifestProblem[] {
    return this.#current().problems
  }

  /** What is wrong with the operator's overrides, each with the model it names. */
  overrideProblems(): readonly string[] {
    const { byId } = this.#current()
    const find = (id: string) => {
      const found = byId.get(id)
      return found && { manifest: found.model.manifest, isAlias: found.alias !== undefined }
    }
    return overrideProblems(this.#options.overrides ?? {}, find, [...byId.keys()])
  }

  #current(): Index {
    const changed = this.#operator.readIfChanged()
    if (this.#index !== undefined && changed === undefined) return this.#index
    const { manifests, problems } = changed ?? { manifests: [], problems: [] }
    const joined = joinManifests(this.#shipped, manifests)
    const { overrides = {} } = this.#options
    const models = joined.models.map((model) => ({ ...model, manifest: withOverrides(model.manifest, overrides) }))
    const known = new Set(this.#index?.problems.map(problemText))
    this.#index = { models, byId: indexOf(models), problems: [...problems, ...joined.problems] }
    for (const text of this.#index.problems.map(problemText)) if (!known.has(text)) this.#options.onProblem?.(text)
    return this.#index
  }

  #entry(model: LoadedManifest): CatalogEntry {
    const { addedAtMs } = model
    const { manifest, checkedAtMs } = this.#checks.apply(model.manifest)
    const files = locateFiles(model, this.#options)
    const entryFiles = files.filter(({ role }, index) => files.findIndex((file) => file.role === role) === index)
    const filePaths = Object.fromEntries(entryFiles.map(({ role, path }) => [role, path]))
    const present = modelStatus(manifest, files, this.#gguf)
    const found = files.length === 0 ? present : this.#withDamage(manifest.id, present)
    const pull = found.kind === 'available' ? readPullNote(modelFolder(this.#options.dataDir, manifest.id)) : undefined
    const status = pull === undefined ? found : { kind: 'downloading' as const, ...pull }
    const header = status.kind === 'ready' ? this.#gguf.known(filePaths.model ?? '') : undefined
    const facts = header && { fillsGaps: header.fillsGaps, template: header.template }
    return { manifest, status, filePaths, filesVersion: filesVersion(files), addedAtMs, checkedAtMs, ...facts }
  }

  /** A model of which a file was found to differ from its sum is not served, although the file can be read. */
  #withDamage(id: string, status: ModelStatus): ModelStatus {
    const [damage] = status.kind === 'ready' ? readDamage(modelFolder(this.#options.dataDir, id)) : []
    if (damage === undefined) return status
    return { kind: 'broken', reason: `${basename(damage.name)} ${describeDamage(damage)}` }
  }
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
