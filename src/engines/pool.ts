/** All engine processes of this server. `scheduler/` decides which models are loaded and which request is next. */

import { type Clock, systemClock } from '../core/clock.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import type { ModelState } from '../core/model-state.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import type { Again, RequestId, SchedulerEvent } from '../scheduler/events.ts'
import type { PoolView } from '../scheduler/view.ts'
import { EngineEnded, outliveEngine } from './host/outlive-engine.ts'
import type { ModelEngine } from './model-engine.ts'
import { settingsOf } from './model-settings.ts'
import { modelState } from './model-state.ts'
import type { EngineStats } from './protocol/engine.ts'
import type { RequestContext, WorkEngines } from './protocol/work-engines.ts'
import { SchedulerArm, type SchedulerArmOptions } from './scheduler-arm.ts'
import { contextExceeded, deadlyRequest, engineFailed } from './shared/engine-errors.ts'

/** Most bytes of a token in any known vocabulary: twice the longest one, 128 spaces. */
const longestTokenBytes = 256

/**
 * Longest time that a suspect request runs alone while others wait: `each`, or with many suspects an equal share of
 * `all`.
 */
const aloneLimitsMs = { each: 10_000, all: 64_000 }

/** Limit for all engines to end. The processes are killed long before. */
const stopLimitMs = 20_000

export interface EnginePoolOptions extends Omit<SchedulerArmOptions, 'clock'> {
  readonly clock?: Clock
  /** Longest wait in milliseconds of a request for its model, and of a command for a load. */
  readonly queueWaitMs: number
}

/** State of the pool for the operator. */
export interface PoolReport {
  readonly engines: readonly ModelState[]
  readonly pools: readonly MemoryPoolReport[]
  /** Requests that wait for their model, the oldest first. */
  readonly queue: readonly {
    readonly modelId: string
    readonly accountId: string
    readonly waitedMs: number
    /** Requests that the model starts before this one. */
    readonly ahead: number
  }[]
}

export interface MemoryPoolReport extends Omit<PoolView, 'reading'> {
  /** Undefined while it cannot be read. */
  readonly totalBytes: number | undefined
  readonly freeBytes: number | undefined
  /** Bytes reserved for other programs by settings. */
  readonly keptBytes: number
}

export class EnginePool implements WorkEngines {
  readonly #setup: EnginePoolOptions
  readonly #clock: Clock
  readonly #arm: SchedulerArm

  constructor(setup: EnginePoolOptions) {
    this.#setup = setup
    this.#clock = setup.clock ?? systemClock
    this.#arm = new SchedulerArm({ ...setup, clock: this.#clock })
  }

  /**
   * Waits until the model is loaded and admits the request, then runs it: see `HostedEngine.run`. A request without
   * output is run once more when its process ends. Throws ApiError `model_loading`, `overloaded`,
   * `insufficient_memory` or `model_unavailable` if it is not admitted in time, and `engine_failed` if its process
   * ends later, or the second one too.
   */
  run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    context: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    this.#requirePossible(model, work)
    const engine = this.#arm.engineOf(model)
    return outliveEngine({
      run: (again, wasAdmitted) => this.#begin(engine, work, context, { again, wasAdmitted }),
      onAgain: context.onAgain,
      wasMoved: changeOf(() => engine.silentCrashes.moves),
      failure: (ended) => deadlyRequest(engine.id, String(ended.cause), ended.encoding),
    })
  }

  /**
   * Returns the events of one run, once a process has the request. They throw `EngineEnded` if the process ends before
   * the request. A run `again` waits as long as the pool allows, since the client's own limit was already met by the
   * first run.
   * One that was admitted before keeps its place in the waiting room.
   */
  async #begin<Asked extends Work>(
    engine: ModelEngine,
    work: Asked,
    context: RequestContext,
    { again, wasAdmitted }: { readonly again: Again | undefined; readonly wasAdmitted: boolean },
  ): Promise<AsyncGenerator<WorkEvent<Asked['kind']>>> {
    const { accountId, signal, keepAliveMs, onAgain } = context
    const { waitLimitMs = Number.POSITIVE_INFINITY } = again === undefined ? context : {}
    signal.throwIfAborted()
    if (!wasAdmitted && engine.history.deadlyRequests.has(work, this.#clock.nowMs()))
      throw deadlyRequest(engine.id, 'it ended two engines before')
    const standing = wasAdmitted ? { again: again ?? 'innocent' } : {}
    const { request, process } = await this.#arm.ask(
      engine,
      { type: 'request', account: accountId, kind: work.kind, ...standing },
      { signal, waitLimitMs: Math.min(waitLimitMs, this.#setup.queueWaitMs) },
    )
    // Only after admission: before it, an idle model would be unloaded first and then loaded again.
    if (keepAliveMs !== undefined) this.keepAlive(engine.id, keepAliveMs)
    if (process === undefined) throw notGiven(engine)
    // When a process is gone, its requests have ended too.
    const tell = (event: SchedulerEvent) => engine.process === process && this.#arm.tell(event)
    const events = process.run(work, context, {
      onBegin: () => tell({ type: 'begun', request }),
      onEnd: (isServed) => {
        if (engine.process === process) engine.hasServed ||= isServed
        tell({ type: 'finished', request, isServed })
      },
    })
    if (again !== 'suspect') return events
    const suspects = 1 + this.#arm.scheduler.waitingSuspects(engine.id)
    const aloneMs = Math.min(aloneLimitsMs.each, aloneLimitsMs.all / suspects)
    const wasMoved = changeOf(() => engine.silentCrashes.moves)
    const onDeadly = () => {
      if (!wasMoved()) engine.history.deadlyRequests.note(work, this.#clock.nowMs())
    }
    return this.#clearing(events, { request, isWhole: onAgain !== undefined, aloneMs, onDeadly })
  }

  /**
   * Clears a suspect request once it has given its last output or run for `aloneMs`. A crash before that is blamed on
   * it.
   */
  async *#clearing<Event extends WorkEvent>(
    events: AsyncGenerator<Event>,
    { request, isWhole, aloneMs, onDeadly }: Clearing,
  ): AsyncGenerator<Event> {
    let isCleared = false
    const clear = () => {
      if (!isCleared) this.#arm.tell({ type: 'cleared', request })
      isCleared = true
    }
    const cancel = this.#clock.after(aloneMs, clear)
    try {
      for await (const event of events) {
        if (event.type !== 'start' && !isWhole) clear()
        yield event
      }
    } catch (error) {
      if (error instanceof EngineEnded && error.isCrash && !isCleared) onDeadly()
      throw error
    } finally {
      cancel()
    }
  }

  /** Loads a model ahead of its first request. Waits as long as requests may. */
  async load(model: InstalledModel, signal?: AbortSignal): Promise<void> {
    const engine = this.#arm.engineOf(model)
    await this.#arm.ask(engine, { type: 'load' }, { signal, waitLimitMs: this.#setup.queueWaitMs })
  }

  /**
   * Ends the model's engine and drops its note. `drain` finishes running requests first, `now`
   * fails them. Waiting requests keep their places and load the model again. Resolves when the process is gone.
   */
  async unload(modelId: string, how: 'drain' | 'now' = 'now'): Promise<void> {
    const engine = this.#arm.engines.get(modelId)
    if (engine === undefined) return
    engine.isPinned = false
    this.#arm.notes.forget(modelId)
    this.#arm.tell({ type: 'unload', model: modelId })
    if (how === 'now') engine.process?.abandonRequests('it was unloaded')
    if (engine.process !== undefined) await engine.gone?.promise
  }

  /**
   * Sets the milliseconds that the model stays loaded without requests; 0 unloads it once idle, Infinity never does.
   * Applies until its next load or a later request's value. Pinned and preloaded models stay loaded.
   */
  keepAlive(modelId: string, ms: number): void {
    const engine = this.#arm.engines.get(modelId)
    if (engine === undefined) return
    engine.keepAliveMs = ms
    this.#arm.configure()
  }

  /** Loads the model and keeps it loaded, even if another model needs room. */
  pin(model: InstalledModel): void {
    this.#arm.engineOf(model).isPinned = true
    this.#arm.configure()
  }

  unpin(modelId: string): void {
    const engine = this.#arm.engines.get(modelId)
    if (engine === undefined) return
    engine.isPinned = false
    this.#arm.configure()
  }

  /** Loads a model at the server's start if there is room, and keeps it loaded when idle. */
  preload(model: InstalledModel): void {
    this.#arm.engineOf(model).isPreloaded = true
    this.#arm.configure()
  }

  /** Reloads models whose backend changed in another probe, once they are idle. */
  followBackends(): void {
    this.#arm.backends.follow('loaded')
  }

  /** Returns whether the model's process is ready. */
  isLoaded(modelId: string): boolean {
    return this.#arm.engines.get(modelId)?.process?.info !== undefined
  }

  status(): readonly ModelState[] {
    const views = new Map(this.#arm.scheduler.models().map((view) => [view.id, view]))
    const nowMs = this.#clock.nowMs()
    return [...this.#arm.engines.values()].map((engine) =>
      modelState(engine, views.get(engine.id), { nowMs, promptBytes: this.#arm.notes.bytesOf(engine.id) }),
    )
  }

  report(): PoolReport {
    const { scheduler } = this.#arm
    const nowMs = this.#clock.nowMs()
    return {
      engines: this.status(),
      pools: scheduler.pools().map(({ id, reading, ...pool }) => ({
        ...pool,
        id,
        totalBytes: reading?.totalBytes,
        freeBytes: reading?.freeBytes,
        keptBytes: Math.max(0, (reading?.totalBytes ?? 0) - pool.foreignBytes - pool.roomBytes),
      })),
      queue: scheduler.waiting().map(({ model, account, sinceMs, ahead }) => ({
        modelId: model,
        accountId: account,
        waitedMs: Math.max(0, Math.round(nowMs - sinceMs)),
        ahead,
      })),
    }
  }

  /** Returns the counters of a running engine; undefined if it does not run. */
  async stats(modelId: string): Promise<EngineStats | undefined> {
    return this.#arm.engines.get(modelId)?.process?.stats()
  }

  /** Returns the counters of all running engines by model id. */
  async allStats(): Promise<readonly (readonly [modelId: string, stats: EngineStats])[]> {
    const asked = this.status().map(async ({ modelId }) => [modelId, await this.stats(modelId)] as const)
    return (await Promise.all(asked)).flatMap(([modelId, stats]) => (stats === undefined ? [] : [[modelId, stats]]))
  }

  /** Ends every engine and fails open requests. */
  async stop(): Promise<void> {
    this.#arm.tell({ type: 'stop-all' })
    this.#arm.running.stopRetired()
    for (const { estimating } of this.#arm.engines.values()) estimating?.abort()
    const ends = [...this.#arm.engines.values()].flatMap((engine: ModelEngine) => [
      engine.spare?.end(),
      engine.process && engine.gone?.promise,
    ])
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(stopLimitMs, resolve)
    await Promise.race([Promise.all(ends), tooLong])
    cancel()
    this.#arm.notes.forgetAll()
  }

  /** Returns the most tokens of a prompt and its answer, by settings and manifest; Infinity if neither limits them. */
  contextLimit(manifest: ModelManifest): number {
    const settings = settingsOf(manifest, this.#setup.settings)
    const { contextTokens = Number.POSITIVE_INFINITY, requestTokens = 0 } = settings
    const wanted = requestTokens > 0 ? requestTokens : contextTokens
    return Math.min(wanted, contextTokens, manifest.contextLength ?? wanted)
  }

  /** Throws for a prompt that is certainly too long, before it is sent to the engine. */
  #requirePossible({ manifest }: InstalledModel, { request }: Work): void {
    if (!('messages' in request)) return
    const limit = this.contextLimit(manifest)
    const leastTokens = Math.ceil((request.packed?.length ?? 0) / longestTokenBytes)
    // Each prompt has at least one choice, so choices bound the prompts.
    const hasPrompts = 'prompts' in request && request.prompts !== undefined
    const [atMostPrompts, param] = hasPrompts ? [request.choices, 'prompt'] : [1]
    if (leastTokens > limit * atMostPrompts) throw contextExceeded(limit, leastTokens, 'at least ', param)
  }
}

interface Clearing {
  readonly request: RequestId
  /** True if the answer is sent only once complete. */
  readonly isWhole: boolean
  /** Longest time that the suspected request runs without others, in milliseconds. */
  readonly aloneMs: number
  /** Called when the engine crashes while the request runs alone. */
  readonly onDeadly: () => void
}

/** Returns a function that tells whether the count has changed since the previous call. */
function changeOf(count: () => number): () => boolean {
  let before = count()
  return () => {
    const now = count()
    const hasChanged = now !== before
    before = now
    return hasChanged
  }
}

/** Returns the error of a request whose process ended before it received the request. */
function notGiven({ id, history }: ModelEngine): EngineEnded {
  const facts = { wasGiven: false, isSuspect: false, isCrash: false, encoding: undefined }
  return new EngineEnded(engineFailed(id, history.lastExit ?? 'it was stopped'), facts)
}
