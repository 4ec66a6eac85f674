/** All engine processes of this server, one per model in use. */
import type { InstalledModel } from '../core/model.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import { contextExceeded } from './engine-errors.ts'
import { type EngineClock, EngineProcess, type EngineProcessOptions, type EngineStatus } from './engine-process.ts'
import { settingsOf } from './model-settings.ts'
import type { EngineStats } from './protocol.ts'
import type { RequestContext, WorkEngines } from './work-engines.ts'

/** Twice the longest token of any vocabulary that is known: 128 spaces. */
const longestTokenBytes = 256

export type EnginePoolOptions = Omit<EngineProcessOptions, 'clock' | 'onIdle'> &
  Partial<Pick<EngineProcessOptions, 'clock' | 'onIdle'>>

export class EnginePool implements WorkEngines {
  readonly #setup: EnginePoolOptions
  readonly #processes = new Map<string, EngineProcess>()

  constructor(setup: EnginePoolOptions) {
    this.#setup = setup
  }

  /** Loads the model if it is not loaded (other models keep running) and runs the request: see `EngineProcess.run`. */
  run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    context: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    this.#requirePossible(model, work)
    return this.#process(model).run(model, work, context)
  }

  /** Loads a model ahead of its first request. */
  async load(model: InstalledModel): Promise<void> {
    await this.#process(model).load(model)
  }

  /** Ends the model's engine; its requests fail. Resolves when it is gone. */
  async unload(modelId: string): Promise<void> {
    await this.#processes.get(modelId)?.unload()
  }

  status(): readonly EngineStatus[] {
    return [...this.#processes.values()].map((process) => process.status())
  }

  /** Counters of a running engine, undefined when it does not run. */
  async stats(modelId: string): Promise<EngineStats | undefined> {
    return this.#processes.get(modelId)?.stats()
  }

  /** Ends every engine; open requests fail. */
  async stop(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.unload()))
  }

  /** A prompt that is far too long is refused before it is moved to the engine. */
  #requirePossible({ manifest }: InstalledModel, { request }: Work): void {
    if (!('messages' in request)) return
    const { contextTokens = Number.POSITIVE_INFINITY } = settingsOf(manifest, this.#setup.settings)
    const limit = Math.min(manifest.contextLength ?? contextTokens, contextTokens)
    const leastTokens = Math.ceil((request.packed?.length ?? 0) / longestTokenBytes)
    if (leastTokens > limit) throw contextExceeded(limit, leastTokens, 'at least ')
  }

  #process(model: InstalledModel): EngineProcess {
    const { id } = model.manifest
    const known = this.#processes.get(id)
    if (known !== undefined) return known
    const process = new EngineProcess(model, { clock: systemClock, onIdle: () => undefined, ...this.#setup })
    this.#processes.set(id, process)
    return process
  }
}

/** Its timers keep no process alive. */
const systemClock: EngineClock = {
  nowMs: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref()
    return () => clearTimeout(timer)
  },
}
