import type { ModelAlias, ModelManifest, ModelStatus } from '../core/model.ts'
import { GgufFiles } from './gguf-file.ts'
import { joinManifests, type LoadedManifest } from './join-manifests.ts'
import { locateFiles } from './locate-files.ts'
import { modelStatus } from './model-status.ts'
import { OperatorManifests } from './operator-manifests.ts'
import { parseManifest } from './parse-manifest.ts'

export interface ShippedManifest {
  /** Path in the repository, e.g. `models/chat/starter-chat.toml`. */
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
}

export interface CatalogEntry {
  readonly manifest: ModelManifest
  readonly status: ModelStatus
  /** Absolute path of each file by its role, whether or not it is there. */
  readonly filePaths: Readonly<Record<string, string>>
  readonly addedAtMs: number
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
  readonly problems: readonly string[]
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

  /** Whether an operator's manifest of model `id` can not use `name`: see the rules of `joinManifests`. */
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

  /** Why some of the operator's manifests are left out; each names its file. */
  problems(): readonly string[] {
    return this.#current().problems
  }

  #current(): Index {
    const changed = this.#operator.readIfChanged()
    if (this.#index !== undefined && changed === undefined) return this.#index
    const { manifests, problems } = changed ?? { manifests: [], problems: [] }
    const joined = joinManifests(this.#shipped, manifests)
    this.#index = { ...joined, problems: [...problems, ...joined.problems] }
    return this.#index
  }

  #entry(model: LoadedManifest): CatalogEntry {
    const { manifest, addedAtMs } = model
    const files = locateFiles(model, this.#options)
    const filePaths = Object.fromEntries(files.map(({ role, path }) => [role, path]))
    return { manifest, status: modelStatus(manifest, files, this.#gguf), filePaths, addedAtMs }
  }
}
