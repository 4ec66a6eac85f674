/** Engines of loaded models: starts, measures and retires them, and records their events. */
import type { Placement } from '../core/memory.ts'
import type { LoadFailure } from '../core/model-state.ts'
import type { StartFailure } from '../scheduler/events.ts'
import { engineTable } from './engine-table.ts'
import type { ProcessEvent } from './host/engine-life.ts'
import { type HostedEngine, hostEngine } from './host/hosted-engine.ts'
import type { SpareChild } from './host/spare-child.ts'
import type { ModelBackends } from './model-backends.ts'
import { loadedAs, type ModelEngine } from './model-engine.ts'
import type { SchedulerArm } from './scheduler-arm.ts'

type Handle<Type extends ProcessEvent['type']> = (
  engine: ModelEngine,
  event: Extract<ProcessEvent, { type: Type }>,
) => void

/** Scheduler's failure kinds by load failure. */
const startFailures: Readonly<Record<LoadFailure, StartFailure>> = {
  'out-of-memory': 'oom',
  'bad-model': 'bad-model',
  other: 'crash',
}

export class RunningModels {
  readonly #arm: SchedulerArm
  readonly #backends: ModelBackends
  readonly #retired = new Set<HostedEngine>()

  constructor(arm: SchedulerArm, backends: ModelBackends) {
    this.#arm = arm
    this.#backends = backends
  }

  /** Starts the model's engine in a placement. */
  start(engine: ModelEngine, placement: Placement): void {
    const { options, notes } = this.#arm
    const { loaded: model, history } = engine
    history.starts++
    engine.hasServed = false
    history.lines = []
    engine.startedAtMs = options.clock.nowMs()
    engine.placement = placement
    engine.loadedFraction = undefined
    const mayCompile = this.#backends.mayCompile(engine, placement)
    engine.isCompiling = mayCompile && !engine.loadedBefore.has(placement.key)
    if (engine.isCompiling) options.log({ modelId: engine.id, level: 'info', message: 'compiling for this card, once' })
    engine.readingsBefore = options.memory.readings
    engine.gone = Promise.withResolvers()
    const spare = claimSpare(engine)
    const note = spare?.note ?? notes.begin(engine.id, engine.revision, engineTable[model.manifest.engine].leaves)
    this.#arm.limitNotes()
    const process: HostedEngine = hostEngine({
      model,
      note,
      spare,
      placement: placement.load,
      stepCurves: options.memory.recallStepCurves(loadedAs(model, options.settings), placement),
      isCautious: history.isCautious,
      mayCompile,
      deadlyParts: history.deadlyParts,
      host: options,
      onEvent: (event) => {
        if (event.type === 'exited') void spare?.end()
        if (event.type === 'exited' && note !== undefined) notes.end(note)
        const handle = this.#handlers[event.type] as Handle<typeof event.type> // the handler of the same type
        if (engine.process === process) handle(engine, event)
        else if (event.type === 'exited') this.#retired.delete(process)
      },
      onLine: (line) => engine.noteLine(line),
    })
    engine.process = process
  }

  /** Retires an engine. Its requests continue, unknown to the model's next engine. */
  retire(engine: ModelEngine): void {
    const { process } = engine
    if (process === undefined) return
    engine.process = undefined
    engine.gone?.resolve()
    this.#retired.add(process)
    process.retire()
    this.#arm.tell({ type: 'exited', model: engine.id, cause: 'ended', reason: 'it was replaced' })
  }

  /** Stops retired engines, which still had requests when their model changed. */
  stopRetired(): void {
    for (const process of this.#retired) process.stop('graceful')
  }

  /** Handlers that record each event of an engine and report it to the scheduler. */
  readonly #handlers: { readonly [Type in ProcessEvent['type']]: Handle<Type> } = {
    progress: (engine, { fraction = engine.loadedFraction }) => {
      engine.loadedFraction = fraction
      this.#arm.tell({ type: 'progress', model: engine.id, ...(fraction !== undefined && { fraction }) })
    },
    started: (engine, { isCautious }) => {
      const { history, process, dryRunMs } = engine
      history.loads++
      history.loadTimes = { ...(dryRunMs !== undefined && { dryRun: dryRunMs }), ...process?.loadTimes }
      engine.dryRunMs = undefined
      history.isCautious = isCautious
      history.failedLoad = undefined
      this.#arm.tell({ type: 'started', model: engine.id })
      this.#measure(engine)
    },
    'start-failed': (engine, { code, reason: found, isCrash = false }) => {
      engine.history.isCautious = false
      const reason = this.#backends.explain(engine, found)
      engine.history.failedLoad = { code, reason }
      engine.noteFailure(reason)
      this.#backends.noteCrash(engine, { isCrash, wasLoading: true })
      this.#arm.tell({ type: 'start-failed', model: engine.id, cause: startFailures[code], reason })
    },
    lost: ({ id }) => this.#arm.tell({ type: 'unload', model: id }),
    learned: ({ id }, { stepCurves }) => this.#arm.options.memory.recordStepCurves(id, stepCurves),
    note: ({ id, model }, { parts }) => {
      const megabytes = Math.ceil(parts.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6)
      const { leaves } = engineTable[model.manifest.engine]
      const message = `${leaves} that wait in memory for its next load: ${parts.length}, ${megabytes} MB`
      this.#arm.options.log({ modelId: id, level: 'info', message })
    },
    exited: (engine, { wasAsked, cause, reason, isCrash = false }) => {
      if (!wasAsked) this.#explainExit(engine, reason, isCrash)
      engine.process = undefined
      this.#backends.follow()
      this.#arm.options.memory.ended(engine.id)
      engine.gone?.resolve()
      const why = cause === 'out-of-memory' ? 'oom' : 'ended'
      this.#arm.tell({ type: 'exited', model: engine.id, cause: why, reason })
    },
  }

  /** Records why an engine ended unasked. A failed start has been explained already. */
  #explainExit(engine: ModelEngine, reason: string, isCrash: boolean): void {
    const { history } = engine
    history.lastExit = history.failedLoad?.reason ?? this.#backends.explain(engine, reason)
    if (history.failedLoad !== undefined) return
    engine.noteFailure(history.lastExit)
    this.#backends.noteCrash(engine, { isCrash, wasLoading: false })
  }

  #measure(engine: ModelEngine): void {
    const { memory, clock, settings, log } = this.#arm.options
    const { id: model, process, placement, readingsBefore: before } = engine
    const pid = process?.pid
    if (pid === undefined || placement === undefined) return
    const estimate = engine.estimates.get(placement.key) ?? placement
    const load = { placement: estimate, before, loadMs: clock.nowMs() - engine.startedAtMs }
    memory
      .loaded(loadedAs(engine.loaded, settings), pid, load, (measured) => {
        if (engine.process === process) this.#arm.tell({ type: 'grew', model, measured })
      })
      .catch((error: unknown) => log({ modelId: model, level: 'warn', message: String(error) }))
  }
}

/** Returns the child left by the model's dry run, if it still waits and the model is the same. */
function claimSpare(engine: ModelEngine): SpareChild | undefined {
  const { spare } = engine
  engine.spare = undefined
  if (spare?.revision === engine.revision && spare.claim()) return spare
  void spare?.end()
  return undefined
}
