/**
 * Does what `scheduler/` decides, and tells it what happens. Only here the scheduler meets clocks, processes and memory; every
 * effect is answered by an event, within a time that the scheduler knows or that stands where the effect is carried out.
 */

import { errorText } from '../core/error-text.ts'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { InstalledModel } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import type { Effect, StopReason } from '../scheduler/effects.ts'
import type { RequestId, SchedulerEvent, StartFailure } from '../scheduler/events.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import type { PoolSettings } from '../scheduler/settings.ts'
import { tellsReason } from './backends/reasons.ts'
import { type EngineSettings, engineTable } from './engine-table.ts'
import { estimatePlacements } from './estimate.ts'
import { NoAnswer } from './host/ask-child.ts'
import type { ProcessEvent } from './host/engine-life.ts'
import { keptOf } from './host/exit-reason.ts'
import { type HostedEngine, type HostOptions, hostEngine } from './host/hosted-engine.ts'
import { Notes } from './host/notes.ts'
import { SpareChild } from './host/spare-child.ts'
import type { KnownMemory, RecalledLoads } from './known-memory.ts'
import { memoryBudget } from './memory-outlook.ts'
import { isSameModel, loadedAs, ModelEngine, revisionOf, schedulerSettings } from './model-engine.ts'
import { settingsOf } from './model-settings.ts'
import { LoadError } from './protocol/load-error.ts'
import { rejected } from './rejections.ts'
import type { CrashFacts } from './silent-crashes.ts'

export interface SchedulerArmOptions extends HostOptions {
  readonly memory: KnownMemory
  /** Holds for every pool. */
  readonly poolSettings: PoolSettings
  /** Milliseconds that prompts of an unloaded model wait for its next load, since their last use; 0: not at all. */
  readonly promptHandoverMs: number
}

/** Stops after which a model is expected back. Not an operator's unload, nor a change, after which no note fits. */
const leavesNote: ReadonlySet<StopReason> = new Set(['evicted', 'keep-alive', 'pressure'])

/** While notes wait in memory, and no model is loaded for whose sake it is read: others may need it. */
const readAgainMs = 30_000

/** Wish that somebody waits for: the model serves a request, or is loaded only. */
type Wanted =
  | Pick<Extract<SchedulerEvent, { type: 'request' }>, 'type' | 'account' | 'kind'>
  | { readonly type: 'load' }

export class SchedulerArm {
  readonly #options: SchedulerArmOptions
  readonly scheduler: Scheduler
  readonly #engines = new Map<string, ModelEngine>()
  readonly notes: Notes
  #cancelReading: () => void = () => undefined
  readonly #retired = new Set<HostedEngine>()
  readonly #asked = new Map<RequestId, PromiseWithResolvers<HostedEngine | undefined>>()
  #nextRequest = 1
  #pools: readonly string[] = ['host']
  #cancelWake: () => void = () => undefined
  /** Happened while effects of an earlier event are carried out. */
  readonly #events: SchedulerEvent[] = []
  #isBusy = false

  constructor(options: SchedulerArmOptions) {
    this.#options = options
    this.scheduler = new Scheduler(options.clock.nowMs())
    this.notes = new Notes({ clock: options.clock, limitMs: options.promptHandoverMs })
    this.configure()
  }

  get engines(): ReadonlyMap<string, ModelEngine> {
    return this.#engines
  }

  /** Returns the engine of a model in its current form. */
  engineOf(model: InstalledModel): ModelEngine {
    const known = this.#engines.get(model.manifest.id)
    if (known !== undefined && isSameModel(known.model, model)) return known
    const revision = startedWith(known, model, this.#options.settings)
    const engine = known ?? new ModelEngine(model, revision)
    engine.model = model
    if (known !== undefined && known.revision === revision) return known
    engine.revision = revision
    engine.silentCrashes.forget()
    this.notes.forget(engine.id)
    engine.estimating?.abort()
    this.#engines.set(engine.id, engine)
    this.configure()
    return engine
  }

  /** Gives the scheduler all models and the operator's settings for them. */
  configure(): void {
    const { settings, poolSettings } = this.#options
    const models = [...this.#engines.values()].map((engine) => schedulerSettings(engine, settings))
    const pools = Object.fromEntries(this.#pools.map((pool) => [pool, poolSettings]))
    this.tell({ type: 'configured', settings: { models, pools } })
  }

  /**
   * Resolves when the scheduler admits it. Rejects with ApiError when it does not, and with the signal's reason when the client
   * leaves before that. The process is the one that has a place for it.
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

  tell(event: SchedulerEvent): void {
    this.#events.push(event)
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        for (const effect of this.scheduler.handle(next, this.#options.clock.nowMs())) this.#carryOut(effect)
      }
    } finally {
      this.#isBusy = false
    }
    this.#limitNotes()
  }

  /** Carries out each effect, by its type. */
  readonly #effects: { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void } = {
    estimate: ({ model }) => this.#of(model, (engine) => this.#estimate(engine)),
    start: ({ model, placement }) =>
      this.#of(model, (engine) => {
        this.#start(engine, placement)
        if (engine.keepAliveMs === undefined) return
        // It was said of an earlier process.
        engine.keepAliveMs = undefined
        this.configure()
      }),
    stop: ({ model, how, why }) =>
      this.#of(model, (engine) => {
        const { process, history } = engine
        history.stops[why] = (history.stops[why] ?? 0) + 1
        if (how === 'retire') this.#retire(engine)
        else process?.stop(how, leavesNote.has(why) ? this.scheduler.spareBytes('host').soonBytes : 0)
      }),
    admit: ({ request, model }) => this.#answer(request)?.resolve(this.#engines.get(model)?.process),
    reject: ({ request, model, ...why }) => this.#answer(request)?.reject(rejected(model, why)),
    'read-memory': () => void this.#readMemory(),
    wake: ({ atMs }) => {
      const { clock } = this.#options
      this.#cancelWake()
      this.#cancelWake = clock.after(Math.max(0, atMs - clock.nowMs()), () => this.tell({ type: 'tick' }))
    },
    log: ({ level, model, message }) => this.#options.log({ modelId: model, level, message }),
  }

  #carryOut(effect: Effect): void {
    const carryOut = this.#effects[effect.type] as (effect: Effect) => void // the one of its type
    carryOut(effect)
  }

  #of(model: string, act: (engine: ModelEngine) => void): void {
    const engine = this.#engines.get(model)
    if (engine === undefined)
      throw new Error(`the scheduler knows of a model "${model}" that nobody named: this is a bug`)
    act(engine)
  }

  #answer(request: RequestId): PromiseWithResolvers<HostedEngine | undefined> | undefined {
    const answer = this.#asked.get(request)
    this.#asked.delete(request)
    return answer
  }

  #estimate(engine: ModelEngine): void {
    const estimating = new AbortController()
    engine.estimating = estimating
    const { signal } = estimating
    const model = engine.id
    this.#recall(engine, signal).then(
      ({ loaded = new Set(), ...recalled }) => {
        if (signal.aborted) return
        engine.loadedBefore = loaded
        this.tell({ type: 'estimated', model, ...recalled })
      },
      (error: unknown) => {
        if (signal.aborted) return
        const lines = error instanceof NoAnswer ? error.evidence.lines : []
        const reason = this.#withBackend(engine, errorText(error), lines)
        this.#noteCrash(engine, {
          isCrash: diedAlone(error),
          wasLoading: true,
          wasOnGpu: usesGpu(engine.backend),
          lines,
        })
        // It is estimated again, for the next backend.
        if (signal.aborted) return
        const code = error instanceof LoadError ? error.code : 'other'
        engine.history.failedLoad = { code, reason }
        this.tell({ type: 'estimate-failed', model, cause: code === 'bad-model' ? code : 'other', reason })
      },
    )
  }

  async #recall(engine: ModelEngine, signal: AbortSignal): Promise<RecalledLoads> {
    const { memory, poolSettings, runtime } = this.#options
    const budgetBytes = memoryBudget(await memory.read(), poolSettings)
    const { kind, device } = this.#backendUser(engine)
    engine.runtime = await runtime(device, kind)
    signal.throwIfAborted()
    engine.backend = this.#chosen(engine)
    const placements =
      'inServer' in engineTable[kind].placements
        ? await estimatePlacements(engine.loaded, { ...this.#options, budgetBytes }, signal)
        : await this.#dryRun(engine, budgetBytes, signal)
    engine.estimates = new Map(placements.map((placement) => [placement.key, placement]))
    return memory.recall(loadedAs(engine.loaded, this.#options.settings), placements)
  }

  /** Asks a child, unless that was done before, perhaps by an earlier server. */
  async #dryRun(engine: ModelEngine, budgetBytes: MemoryBytes, signal: AbortSignal): Promise<readonly Placement[]> {
    const { memory, clock } = this.#options
    const { id: modelId, revision, backend, model } = engine
    const question = { modelId, revision, budgetBytes, backend }
    // Files without a version may change unseen.
    const isSure = (model.filesVersion ?? '') !== ''
    const known = isSure ? memory.recallDryRun(question) : undefined
    if (known !== undefined) return known
    const sinceMs = clock.nowMs()
    const placements = await this.#askPlacements(engine, budgetBytes, signal)
    engine.dryRunMs = clock.nowMs() - sinceMs
    if (isSure) memory.recordDryRun(question, placements)
    return placements
  }

  /** Keeps the child that was asked for the load that follows, where the model takes memory of the host alone. */
  async #askPlacements(
    engine: ModelEngine,
    budgetBytes: MemoryBytes,
    signal: AbortSignal,
  ): Promise<readonly Placement[]> {
    const { clock, spawn } = this.#options
    const options = { ...this.#options, budgetBytes }
    await engine.spare?.end()
    const { id, revision } = engine
    const note = this.notes.begin(id, revision, engineTable[engine.model.manifest.engine].leaves)
    const onUnused = () => note && this.notes.end(note)
    const spare = new SpareChild({ spawn, revision, note, clock, onUnused })
    let isKept = false
    try {
      const placements = await estimatePlacements(engine.loaded, { ...options, spawn: spare.ask }, signal)
      // On a device it would hold memory that the load's own measurement must see as free.
      isKept = !signal.aborted && placements.every(({ needBytes }) => isOnHost(needBytes))
      if (isKept) engine.spare = spare
      return placements
    } finally {
      if (!isKept) await spare.end()
    }
  }

  /** Returns the child left by the model's dry run, if it still waits and the model is the same. */
  #claimSpare(engine: ModelEngine): SpareChild | undefined {
    const { spare } = engine
    engine.spare = undefined
    if (spare?.revision === engine.revision && spare.claim()) return spare
    void spare?.end()
    return undefined
  }

  #start(engine: ModelEngine, placement: Extract<Effect, { type: 'start' }>['placement']): void {
    const { loaded: model, history } = engine
    history.starts++
    engine.hasServed = false
    history.lines = []
    engine.startedAtMs = this.#options.clock.nowMs()
    engine.placement = placement
    engine.loadedFraction = undefined
    const mayCompile = this.#mayCompile(engine, placement)
    engine.isCompiling = mayCompile && !engine.loadedBefore.has(placement.key)
    if (engine.isCompiling)
      this.#options.log({ modelId: engine.id, level: 'info', message: 'compiling for this card, once' })
    engine.readingsBefore = this.#options.memory.readings
    engine.gone = Promise.withResolvers()
    const spare = this.#claimSpare(engine)
    const { leaves } = engineTable[model.manifest.engine]
    const note = spare?.note ?? this.notes.begin(engine.id, engine.revision, leaves)
    this.#limitNotes()
    const process: HostedEngine = hostEngine({
      model,
      note,
      spare,
      placement: placement.load,
      stepCurves: this.#options.memory.recallStepCurves(loadedAs(model, this.#options.settings), placement),
      isCautious: history.isCautious,
      mayCompile,
      deadlyParts: history.deadlyParts,
      host: this.#options,
      onEvent: (event) => {
        if (event.type === 'exited') void spare?.end()
        if (event.type === 'exited' && note !== undefined) this.notes.end(note)
        if (engine.process === process) this.#heard(engine, event)
        else if (event.type === 'exited') this.#retired.delete(process)
      },
      onLine: (line) => engine.noteLine(line),
    })
    engine.process = process
  }

  /** Retires a process. Its requests continue, and the next process of the model does not know them. */
  #retire(engine: ModelEngine): void {
    const { process } = engine
    if (process === undefined) return
    engine.process = undefined
    engine.gone?.resolve()
    this.#retired.add(process)
    process.retire()
    this.tell({ type: 'exited', model: engine.id, cause: 'ended', reason: 'it was replaced' })
  }

  /** Stops processes that still had requests when their model changed. */
  stopRetired(): void {
    for (const process of this.#retired) process.stop('graceful')
  }

  #heard(engine: ModelEngine, event: ProcessEvent): void {
    const { id: model, history } = engine
    switch (event.type) {
      case 'progress':
        engine.loadedFraction = event.fraction ?? engine.loadedFraction
        this.tell({ ...event, model, ...(engine.loadedFraction !== undefined && { fraction: engine.loadedFraction }) })
        break
      case 'started':
        history.loads++
        history.loadTimes = {
          ...(engine.dryRunMs !== undefined && { dryRun: engine.dryRunMs }),
          ...engine.process?.loadTimes,
        }
        engine.dryRunMs = undefined
        history.isCautious = event.isCautious
        history.failedLoad = undefined
        this.tell({ type: 'started', model })
        this.#measure(engine)
        break
      case 'start-failed': {
        history.isCautious = false
        const reason = this.#withBackend(engine, event.reason, keptOf(history.lines))
        history.failedLoad = { code: event.code, reason }
        engine.noteFailure(reason)
        this.#noteCrash(engine, { isCrash: event.isCrash === true, wasLoading: true })
        this.tell({ type: 'start-failed', model, cause: startFailures[event.code], reason })
        break
      }
      case 'lost':
        this.tell({ type: 'unload', model })
        break
      case 'learned':
        this.#options.memory.recordStepCurves(model, event.stepCurves)
        break
      case 'note': {
        const megabytes = Math.ceil(event.parts.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6)
        const { leaves } = engineTable[engine.model.manifest.engine]
        const message = `${leaves} that wait in memory for its next load: ${event.parts.length}, ${megabytes} MB`
        this.#options.log({ modelId: model, level: 'info', message })
        break
      }
      case 'exited': {
        if (!event.wasAsked) {
          // A failed start has been explained before.
          const { failedLoad } = history
          history.lastExit = failedLoad?.reason ?? this.#withBackend(engine, event.reason, keptOf(history.lines))
          if (failedLoad === undefined) {
            engine.noteFailure(history.lastExit)
            this.#noteCrash(engine, { isCrash: event.isCrash === true, wasLoading: false })
          }
        }
        engine.process = undefined
        this.followBackends()
        this.#options.memory.ended(model)
        engine.gone?.resolve()
        const cause = event.cause === 'out-of-memory' ? 'oom' : 'ended'
        this.tell({ type: 'exited', model, cause, reason: event.reason })
        break
      }
      default:
        unreachable(event)
    }
  }

  /** Returns why an engine ended. If its backend was the cause, names it and has the model estimated for the next backend. */
  #withBackend(engine: ModelEngine, reason: string, lines: readonly string[]): string {
    const runtime = engine.process?.runtime ?? engine.runtime
    if (runtime === undefined) return reason
    const failure = this.#options.backends?.noteEnd({
      ...{ ...this.#backendUser(engine), runtime },
      devices: engine.process && devicesOf(engine.placement),
      lines: [...lines, reason],
    })
    if (failure === undefined) return reason
    this.followBackends(engine)
    return `${failure.reason}; ${failure.nextStep} (${reason})`
  }

  /** A model whose engines crash on a GPU without a word is estimated for the CPU, where nobody has named the device. */
  #noteCrash(
    engine: ModelEngine,
    end: Pick<CrashFacts, 'isCrash' | 'wasLoading'> & {
      readonly wasOnGpu?: boolean
      readonly lines?: readonly string[]
    },
  ): void {
    const { silentCrashes, history, process, placement, hasServed } = engine
    const isFree = silentCrashes.keepsOffGpu || this.#backendUser(engine).device === 'auto'
    if (!isFree || this.#options.backends === undefined) return
    const { lines = keptOf(history.lines), ...facts } = end
    const decision = silentCrashes.note({
      wasOnGpu: devicesOf(placement).length > 0 && process?.info?.device !== 'cpu',
      ...facts,
      hasWords: lines.some(tellsReason),
      hasServed: hasServed && !end.wasLoading,
    })
    if (decision === undefined) return
    this.#options.log({ modelId: engine.id, level: 'warn', message: crashWords[decision] })
    this.followBackends(engine)
  }

  /**
   * Has models estimated again whose next load takes another backend than they were estimated for. Loaded ones stay as they are
   * until they end; `'loaded'`: they too are loaded again, as soon as they are idle.
   */
  followBackends(which?: 'loaded' | ModelEngine): void {
    let hasChanged = false
    for (const engine of this.#engines.values()) {
      // The backends were probed again: the operator wants them to be tried.
      if (which === 'loaded') engine.silentCrashes.forget()
      const isKept = engine.process?.info !== undefined && which !== 'loaded' && which !== engine
      if (isKept || engine.backend === undefined || engine.backend === this.#chosen(engine)) continue
      hasChanged = true
      engine.backend = undefined
      engine.backendChanges++
      engine.estimating?.abort()
      engine.revision = startedWith(engine, engine.model, this.#options.settings)
    }
    if (hasChanged) this.configure()
  }

  #chosen(engine: ModelEngine): string | undefined {
    const { kind, device } = this.#backendUser(engine)
    return this.#options.backends?.chosen(kind, device)
  }

  #mayCompile(engine: ModelEngine, { needBytes }: Placement): boolean {
    const { kind, device } = this.#backendUser(engine)
    return !isOnHost(needBytes) && this.#options.backends?.compiles(kind, device) === true
  }

  #backendUser({ loaded: { manifest } }: ModelEngine) {
    const { device = 'auto' } = settingsOf(manifest, this.#options.settings)
    return { kind: manifest.engine, device }
  }

  #measure(engine: ModelEngine): void {
    const { id: model, process, placement, readingsBefore: before } = engine
    const pid = process?.pid
    if (pid === undefined || placement === undefined) return
    const loadMs = this.#options.clock.nowMs() - engine.startedAtMs
    const estimate = engine.estimates.get(placement.key) ?? placement
    const load = { placement: estimate, before, loadMs }
    const told = this.#options.memory.loaded(loadedAs(engine.loaded, this.#options.settings), pid, load, (measured) => {
      if (engine.process === process) this.tell({ type: 'grew', model, measured })
    })
    told.catch((error: unknown) => this.#options.log({ modelId: model, level: 'warn', message: String(error) }))
  }

  async #readMemory(): Promise<void> {
    const { memory } = this.#options
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
    // Notes that wait there are given up for any model.
    const freeBytes = Math.min(host.totalBytes, host.freeBytes + this.notes.bytes)
    this.tell({ type: 'memory', pools: { ...pools, host: { ...host, freeBytes } } })
  }

  /** Notes wait only where no model needs the memory. */
  #limitNotes(): void {
    this.#cancelReading()
    if (this.notes.bytes === 0) return
    this.notes.fit(this.scheduler.spareBytes('host').nowBytes)
    const afterMs = Math.min(this.notes.expire(), readAgainMs)
    if (this.notes.bytes === 0) return
    this.#cancelReading = this.#options.clock.after(afterMs, () => void this.#readMemory())
  }
}

/** Scheduler's failure kinds by load failure. */
const startFailures: Readonly<Record<LoadError['code'], StartFailure>> = {
  'out-of-memory': 'oom',
  'bad-model': 'bad-model',
  other: 'crash',
}

function isOnHost(needBytes: MemoryBytes): boolean {
  return Object.keys(needBytes).every((pool) => pool === 'host')
}

const crashWords = {
  'to-cpu':
    "its engine ended on the GPU without a word: it is loaded on the CPU; 'inferd gpu probe' has the GPU tried again",
  'back-to-gpu': 'its engine ended on the CPU too: the GPU was not to blame, and is used again',
}

/** Returns whether a child that was asked crashed, and was not killed for want of memory. */
function diedAlone(error: unknown): boolean {
  const exit = error instanceof NoAnswer ? error.evidence.exit : undefined
  return exit?.startsWith('signal ') === true && exit !== 'signal SIGKILL'
}

/** Returns whether a backend, by its id, computes on a GPU; none is known for engines without a choice. */
function usesGpu(backend: string | undefined): boolean {
  return backend !== undefined && backend !== 'cpu' && backend !== 'none'
}

/** Returns the places of the GPUs in a placement, as the engines write them there. */
function devicesOf(placement: Placement | undefined): readonly number[] {
  const { devices, device, deviceIndex } = placement?.load ?? {}
  if (Array.isArray(devices)) return devices.filter((index) => typeof index === 'number')
  return device === 'cuda' && typeof deviceIndex === 'number' ? [deviceIndex] : []
}

/** Returns text that changes with everything that a process is started with. */
function startedWith(engine: ModelEngine | undefined, model: InstalledModel, settings: EngineSettings): string {
  const { backendChanges = 0 } = engine ?? {}
  return revisionOf(model, settings) + (backendChanges === 0 ? '' : ` after ${backendChanges} backends`)
}
