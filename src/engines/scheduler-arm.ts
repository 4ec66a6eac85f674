/**
 * Carries out the decisions of `scheduler/` and reports events to it. This is the scheduler's only contact with
 * clocks, processes and memory. Every effect is answered by an event, within a time known to the scheduler or given
 * where the effect is carried out.
 */
import type { InstalledModel } from '../core/model.ts'
import type { Effect, StopReason } from '../scheduler/effects.ts'
import type { EventOf, RequestId, SchedulerEvent } from '../scheduler/events.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import type { PoolSettings } from '../scheduler/settings.ts'
import type { HostedEngine, HostOptions } from './host/hosted-engine.ts'
import { Notes } from './host/notes.ts'
import type { KnownMemory } from './known-memory.ts'
import { ModelBackends } from './model-backends.ts'
import { isSameModel, ModelEngine, revisionOf, schedulerSettings } from './model-engine.ts'
import { ModelEstimates } from './model-estimates.ts'
import { rejected } from './rejections.ts'
import { RunningModels } from './running-models.ts'

export interface SchedulerArmOptions extends HostOptions {
  readonly memory: KnownMemory
  /** Applies to every pool. */
  readonly poolSettings: PoolSettings
  /** Milliseconds after their last use that prompts of an unloaded model wait for its next load; 0 keeps none. */
  readonly promptHandoverMs: number
}

/**
 * Stops after which the model is expected back. After an operator's unload it is not, and after a change no note fits.
 */
const leavesNote: ReadonlySet<StopReason> = new Set(['evicted', 'keep-alive', 'pressure'])

/** Interval at which memory is read while notes wait in it and no model is loaded: other programs may need it. */
const readAgainMs = 30_000

/** Wish of a caller: a request to serve, or only a load. */
type Wanted = Pick<EventOf<'request'>, 'type' | 'account' | 'kind'> | { readonly type: 'load' }

export class SchedulerArm {
  readonly options: SchedulerArmOptions
  readonly scheduler: Scheduler
  readonly engines = new Map<string, ModelEngine>()
  readonly notes: Notes
  readonly backends = new ModelBackends(this)
  readonly #estimates = new ModelEstimates(this, this.backends)
  readonly running = new RunningModels(this, this.backends)
  #cancelReading: () => void = () => undefined
  readonly #asked = new Map<RequestId, PromiseWithResolvers<HostedEngine | undefined>>()
  #nextRequest = 1
  #pools: readonly string[] = ['host']
  #cancelWake: () => void = () => undefined
  /** Events that occurred while the effects of an earlier event are carried out. */
  readonly #events: SchedulerEvent[] = []
  #isBusy = false

  constructor(options: SchedulerArmOptions) {
    this.options = options
    this.scheduler = new Scheduler(options.clock.nowMs())
    this.notes = new Notes({ clock: options.clock, limitMs: options.promptHandoverMs })
    this.configure()
  }

  /** Returns the engine of a model, updated to the model's current form. */
  engineOf(model: InstalledModel): ModelEngine {
    const known = this.engines.get(model.manifest.id)
    if (known !== undefined && isSameModel(known.model, model)) return known
    const revision = revisionOf(model, this.options.settings, known?.backendChanges)
    const engine = known ?? new ModelEngine(model, revision)
    engine.model = model
    if (known !== undefined && known.revision === revision) return known
    engine.revision = revision
    engine.silentCrashes.forget()
    this.notes.forget(engine.id)
    engine.estimating?.abort()
    this.engines.set(engine.id, engine)
    this.configure()
    return engine
  }

  /** Gives the scheduler all models and the operator's settings for them. */
  configure(): void {
    const { settings, poolSettings } = this.options
    const models = [...this.engines.values()].map((engine) => schedulerSettings(engine, settings))
    const pools = Object.fromEntries(this.#pools.map((pool) => [pool, poolSettings]))
    this.tell({ type: 'configured', settings: { models, pools } })
  }

  /**
   * Resolves once the scheduler admits the wish, with the process that has a place for it. Rejects with ApiError if it
   * is not admitted, and with the signal's reason if the client leaves before.
   */
  async ask(
    engine: ModelEngine,
    wanted: Wanted,
    { signal, waitLimitMs }: { readonly signal?: AbortSignal | undefined; readonly waitLimitMs: number },
  ): Promise<{ readonly request: RequestId; readonly process: HostedEngine | undefined }> {
    const request = this.#nextRequest++
    const answer = Promise.withResolvers<HostedEngine | undefined>()
    const leave = () => {
      if (!this.#asked.delete(request)) return
      this.tell({ type: 'cancel', request })
      answer.reject(signal?.reason)
    }
    this.#asked.set(request, answer)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      this.tell({ ...wanted, request, model: engine.id, waitLimitMs })
      return { request, process: await answer.promise }
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Passes an event to the scheduler and carries out its decisions. */
  tell(event: SchedulerEvent): void {
    this.#events.push(event)
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        for (const effect of this.scheduler.handle(next, this.options.clock.nowMs())) this.#carryOut(effect)
      }
    } finally {
      this.#isBusy = false
    }
    this.limitNotes()
  }

  /** Functions that carry out each effect, by type. */
  readonly #effects: { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void } = {
    estimate: ({ model }) => this.#estimates.estimate(this.#of(model)),
    start: ({ model, placement }) => {
      const engine = this.#of(model)
      this.running.start(engine, placement)
      if (engine.keepAliveMs === undefined) return
      // The value applied to the earlier process.
      engine.keepAliveMs = undefined
      this.configure()
    },
    stop: ({ model, how, why }) => {
      const engine = this.#of(model)
      const { process, history } = engine
      history.stops[why] = (history.stops[why] ?? 0) + 1
      if (how === 'retire') this.running.retire(engine)
      else process?.stop(how, leavesNote.has(why) ? this.scheduler.spareBytes('host').soonBytes : 0)
    },
    admit: ({ request, model }) => this.#answer(request)?.resolve(this.engines.get(model)?.process),
    reject: ({ request, model, ...why }) => this.#answer(request)?.reject(rejected(model, why)),
    'read-memory': () => void this.#readMemory(),
    wake: ({ atMs }) => {
      const { clock } = this.options
      this.#cancelWake()
      this.#cancelWake = clock.after(Math.max(0, atMs - clock.nowMs()), () => this.tell({ type: 'tick' }))
    },
    log: ({ level, model, message }) => this.options.log({ modelId: model, level, message }),
  }

  #carryOut(effect: Effect): void {
    const carryOut = this.#effects[effect.type] as (effect: Effect) => void // the function of the same type
    carryOut(effect)
  }

  #of(model: string): ModelEngine {
    const engine = this.engines.get(model)
    if (engine === undefined) throw new Error(`the scheduler knows a model "${model}" that nobody named: this is a bug`)
    return engine
  }

  #answer(request: RequestId): PromiseWithResolvers<HostedEngine | undefined> | undefined {
    const answer = this.#asked.get(request)
    this.#asked.delete(request)
    return answer
  }

  async #readMemory(): Promise<void> {
    const { memory } = this.options
    const pools = await memory
      .read()
      .catch(() => Object.fromEntries(this.#pools.map((pool) => [pool, 'unknown' as const])))
    const ids = Object.keys(pools)
    if (ids.some((id) => !this.#pools.includes(id))) {
      this.#pools = ids
      this.configure()
    }
    const { host = 'unknown' } = pools
    if (host === 'unknown') return this.tell({ type: 'memory', pools })
    // Waiting notes count as free memory, since they are dropped for any model.
    const freeBytes = Math.min(host.totalBytes, host.freeBytes + this.notes.bytes)
    this.tell({ type: 'memory', pools: { ...pools, host: { ...host, freeBytes } } })
  }

  /** Drops notes whose memory models need. */
  limitNotes(): void {
    this.#cancelReading()
    if (this.notes.bytes === 0) return
    this.notes.fit(this.scheduler.spareBytes('host').nowBytes)
    const afterMs = Math.min(this.notes.expire(), readAgainMs)
    if (this.notes.bytes === 0) return
    this.#cancelReading = this.options.clock.after(afterMs, () => void this.#readMemory())
  }
}
