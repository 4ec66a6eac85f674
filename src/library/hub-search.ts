/** Search of the hub by the running server, and the models in a repository with their fit. Asks the hub only when called. */
import type { Catalog } from '../catalog/catalog.ts'
import { isModelId } from '../catalog/manifest-schema.ts'
import type { Config } from '../config/config.ts'
import { hubConfig } from '../config/hub.ts'
import type { ConfigSources } from '../config/sources.ts'
import { errorText } from '../core/error-text.ts'
import { readDiskRoom } from '../store/pull/disk-room.ts'
import { type Hub, hubFiles } from '../store/sources/hub.ts'
import { projectorsIn } from '../store/sources/hub-model.ts'
import { type HubRepository, hubRepository, searchHub } from '../store/sources/hub-repository.ts'
import { type Quantization, quantizationsIn, weightBits } from '../store/sources/quantizations.ts'
import { WebError } from '../store/web/web-error.ts'
import { downloadFit, type Fit, type PoolRoom } from './fit.ts'
import { openHub } from './open-hub.ts'
import { recommendedIn } from './recommended-quantization.ts'

interface HubSearchOptions {
  readonly config: Config
  readonly environment: ConfigSources['environment']
  readonly catalog: Catalog
  /** Returns the space in all memories. */
  readonly rooms: () => Promise<readonly PoolRoom[]>
  /** Time limit of an answer in milliseconds. Defaults to 20 s. */
  readonly answerMs?: number
}

/** Reason why the hub gave no answer. `unreachable` means that no answer came at all, as without a network. */
interface HubFailure {
  readonly kind: 'failure'
  readonly why: 'unreachable' | 'refused'
  readonly reason: string
}

/** A model of a repository that can be pulled. */
export interface OfferedModel extends Quantization {
  /** Source for a pull. */
  readonly source: string
  /** Free id for it on this server. */
  readonly id: string
  /** Guess whether it fits into memory, with its projector. Undefined if its size or the memory is unknown. */
  readonly fit: Fit | undefined
  readonly isRecommended: boolean
  /** Bits of a weight, about. Undefined for an unknown quantization. */
  readonly bits: number | undefined
}

interface RepositoryFiles {
  readonly kind: 'files'
  readonly repository: HubRepository
  /** Address of the repository's page on the hub. */
  readonly page: string
  /** Projector with which the models see. Undefined without one. */
  readonly projector: { readonly path: string; readonly bytes: number | undefined } | undefined
  readonly freeDiskBytes: number
  /** The smallest first. */
  readonly models: readonly OfferedModel[]
  /** Number of models left out at the end. */
  readonly leftOut: number
}

const answerDefaultMs = 20_000
/** Most models of a repository that are returned. */
const maximumModels = 100

export class HubSearch {
  readonly #options: HubSearchOptions
  readonly #stopping = new AbortController()

  constructor(options: HubSearchOptions) {
    this.#options = options
  }

  /** Returns the hub's host. Throws ConfigError. */
  host(): string {
    return new URL(hubConfig(this.#options.environment).endpoint).host
  }

  /** Returns repositories with GGUF models, the most downloaded first. */
  search(words: string, limit: number): Promise<HubFailure | { readonly kind: 'found'; found: HubRepository[] }> {
    return this.#ask(undefined, async (hub, signal) => ({
      kind: 'found',
      found: await searchHub(hub, { words, limit }, signal),
    }))
  }

  /** Returns the models of a repository. */
  files(repository: string): Promise<HubFailure | RepositoryFiles> {
    return this.#ask(repository, async (hub, signal) => {
      const place = { repository, revision: undefined }
      const [facts, files, rooms, { freeBytes: freeDiskBytes }] = await Promise.all([
        hubRepository(hub, place, signal),
        hubFiles(hub, place, signal),
        this.#options.rooms(),
        readDiskRoom(this.#options.config.data),
      ])
      const [path] = projectorsIn(files.map((file) => file.path))
      const projector = files.find((file) => file.path === path)
      const all = quantizationsIn(files).map((model) => {
        const needs = model.bytes === undefined ? undefined : model.bytes + (projector?.bytes ?? 0)
        const fit = needs === undefined ? undefined : downloadFit(needs, rooms, true)
        return { ...model, fit }
      })
      const best = recommendedIn(all, freeDiskBytes)
      const models = all.slice(0, maximumModels).map((model) => ({
        ...{ ...model, source: `hf:${repository}/${model.path}`, id: this.#freeId(repository, model) },
        ...{ isRecommended: model === best, bits: weightBits(model.name) },
      }))
      const page = `${hub.endpoint}/${repository}`
      const leftOut = all.length - models.length
      return { kind: 'files', repository: facts, page, projector, freeDiskBytes, models, leftOut } as const
    })
  }

  stop(): void {
    this.#stopping.abort(new Error('the server stopped'))
  }

  async #ask<Answer>(
    repository: string | undefined,
    work: (hub: Hub, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | HubFailure> {
    const late = new AbortController()
    const { config, environment, answerMs = answerDefaultMs } = this.#options
    const lateError = () => new WebError('again', `${this.host()} did not answer within ${answerMs / 1_000} s`)
    const timer = setTimeout(() => late.abort(lateError()), answerMs)
    try {
      const hub = openHub(config, environment, { questions: { attempts: 3, longestWishMs: 3_000 } })
      return await work(hub, AbortSignal.any([late.signal, this.#stopping.signal]))
    } catch (error) {
      // A person knows the repository by its name, not by an address of the hub's interface.
      const reason = errorText(error).replace(/^https?:\/\/\S+/, repository ?? `the answer of ${this.host()}`)
      const isUnreachable = error instanceof WebError && error.status === undefined
      return { kind: 'failure', why: isUnreachable ? 'unreachable' : 'refused', reason }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the repository's name as an id, with the quantization if that is taken. */
  #freeId(repository: string, { name }: Quantization): string {
    const { catalog } = this.#options
    const short = repository.replace(/[-_.]?gguf$/i, '')
    const ids = [short, `${short}-${name}`].filter(isModelId)
    return ids.find((id) => catalog.resolve(id) === undefined) ?? ids.at(-1) ?? repository
  }
}
