/** Estimates of models' memory: recalled, or made by a child that then waits for the load. */
import { errorText } from '../core/error-text.ts'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import { engineTable } from './engine-table.ts'
import { estimatePlacements } from './estimate.ts'
import { NoAnswer } from './host/ask-child.ts'
import { SpareChild } from './host/spare-child.ts'
import type { RecalledLoads } from './known-memory.ts'
import { memoryBudget } from './memory-outlook.ts'
import { isOnHost, type ModelBackends } from './model-backends.ts'
import { loadedAs, type ModelEngine } from './model-engine.ts'
import { LoadError } from './protocol/load-error.ts'
import type { SchedulerArm } from './scheduler-arm.ts'

export class ModelEstimates {
  readonly #arm: SchedulerArm
  readonly #backends: ModelBackends

  constructor(arm: SchedulerArm, backends: ModelBackends) {
    this.#arm = arm
    this.#backends = backends
  }

  /** Estimates the model. Sends the scheduler `estimated` or `estimate-failed`, unless the model changes meanwhile. */
  estimate(engine: ModelEngine): void {
    engine.estimating = new AbortController()
    const { signal } = engine.estimating
    this.#recall(engine, signal).then(
      ({ loaded = new Set(), ...recalled }) => {
        if (signal.aborted) return
        engine.loadedBefore = loaded
        this.#arm.tell({ type: 'estimated', model: engine.id, ...recalled })
      },
      (error: unknown) => {
        if (!signal.aborted) this.#fail(engine, error, signal)
      },
    )
  }

  #fail(engine: ModelEngine, error: unknown, signal: AbortSignal): void {
    const lines = error instanceof NoAnswer ? error.evidence.lines : []
    const reason = this.#backends.explain(engine, errorText(error), lines)
    const wasOnGpu = usesGpu(engine.backend)
    this.#backends.noteCrash(engine, { isCrash: diedAlone(error), wasLoading: true, wasOnGpu, lines })
    // Aborted if `explain` has started an estimate for the next backend.
    if (signal.aborted) return
    const code = error instanceof LoadError ? error.code : 'other'
    engine.history.failedLoad = { code, reason }
    const cause = code === 'bad-model' ? code : 'other'
    this.#arm.tell({ type: 'estimate-failed', model: engine.id, cause, reason })
  }

  async #recall(engine: ModelEngine, signal: AbortSignal): Promise<RecalledLoads> {
    const { options } = this.#arm
    const { memory, poolSettings, settings, runtime } = options
    const budgetBytes = memoryBudget(await memory.read(), poolSettings)
    const { kind, device } = this.#backends.userOf(engine)
    engine.runtime = await runtime(device, kind)
    signal.throwIfAborted()
    engine.backend = this.#backends.chosen(engine)
    const placements =
      'inServer' in engineTable[kind].placements
        ? await estimatePlacements(engine.loaded, { ...options, budgetBytes }, signal)
        : await this.#dryRun(engine, budgetBytes, signal)
    engine.estimates = new Map(placements.map((placement) => [placement.key, placement]))
    return memory.recall(loadedAs(engine.loaded, settings), placements)
  }

  /** Returns the placements of an earlier equal dry run, possibly of an earlier server, else asks a child. */
  async #dryRun(engine: ModelEngine, budgetBytes: MemoryBytes, signal: AbortSignal): Promise<readonly Placement[]> {
    const { memory, clock } = this.#arm.options
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

  /**
   * Asks a child for the placements. If the model takes only host memory, keeps the child for the load that follows.
   */
  async #askPlacements(
    engine: ModelEngine,
    budgetBytes: MemoryBytes,
    signal: AbortSignal,
  ): Promise<readonly Placement[]> {
    const { options, notes } = this.#arm
    const { clock, spawn } = options
    await engine.spare?.end()
    const { id, revision } = engine
    const note = notes.begin(id, revision, engineTable[engine.model.manifest.engine].leaves)
    const onUnused = () => note && notes.end(note)
    const spare = new SpareChild({ spawn, revision, note, clock, onUnused })
    let isKept = false
    try {
      const placements = await estimatePlacements(engine.loaded, { ...options, budgetBytes, spawn: spare.ask }, signal)
      // On a device the child would hold memory that the load's own measurement must see as free.
      isKept = !signal.aborted && placements.every(({ needBytes }) => isOnHost(needBytes))
      if (isKept) engine.spare = spare
      return placements
    } finally {
      if (!isKept) await spare.end()
    }
  }
}

/** Returns whether the asked child crashed for a reason other than lack of memory. */
function diedAlone(error: unknown): boolean {
  const exit = error instanceof NoAnswer ? error.evidence.exit : undefined
  return exit?.startsWith('signal ') === true && exit !== 'signal SIGKILL'
}

/** Returns whether a backend, by its id, computes on a GPU. False for engines without a choice. */
function usesGpu(backend: string | undefined): boolean {
  return backend !== undefined && backend !== 'cpu' && backend !== 'none'
}
