/** Engine without native code, in the server's own process. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type LoadTimes, PhaseTimer } from '../../core/load-phases.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import type { Work, WorkEvent, WorkKind } from '../../core/work.ts'
import { engineTable } from '../engine-table.ts'
import { settingsOf } from '../model-settings.ts'
import type { RuntimePaths } from '../protocol/backend.ts'
import type { Engine, EngineStats, LoadEngine } from '../protocol/engine.ts'
import { loadFailure } from '../protocol/load-error.ts'
import { wholeWork } from '../protocol/packed-request.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import type { ProcessEvent } from './engine-life.ts'
import type { EndCause } from './exit-reason.ts'
import type { HostedEngine, HostedEngineOptions } from './hosted-engine.ts'
import { type ReachedEngine, RequestsInFlight, type RequestWatch } from './requests-in-flight.ts'
import { checkEveryMs } from './watchdog.ts'

const stopped = 'it was stopped'

/**
 * Delivers calls and events in order and asynchronously, as from another process. They are not copied, so neither side
 * may change them. An error of the engine ends only the engine, with its requests.
 */
export class InServerEngine implements HostedEngine {
  readonly pid = undefined
  readonly #options: HostedEngineOptions
  readonly #requests: RequestsInFlight
  readonly #ending = new AbortController()
  readonly #timer: PhaseTimer
  #engine: Engine | undefined
  #runtime: RuntimePaths | undefined
  #isStopping = false
  #cancelProgress: () => void = () => undefined

  /** Starts the load. */
  constructor(options: HostedEngineOptions, load: LoadEngine<WorkKind, never>) {
    blameEngines()
    this.#options = options
    const { model, host } = options
    this.#timer = new PhaseTimer(() => host.clock.nowMs())
    const { work } = engineTable[model.manifest.engine]
    this.#requests = new RequestsInFlight({ modelId: model.manifest.id, work, onSurvived: () => undefined })
    this.#progressLater()
    const { device } = settingsOf(model.manifest, host.settings)
    host.runtime(device, model.manifest.engine).then(
      (runtime) => this.#begin(load, runtime),
      (error: unknown) => this.#failLoad(error),
    )
  }

  get info(): EngineInfo | undefined {
    return this.#engine?.info
  }

  get loadTimes(): LoadTimes {
    return this.#engine === undefined ? {} : this.#timer.times
  }

  get runtime(): RuntimePaths | undefined {
    return this.#runtime
  }

  get running(): number {
    return this.#requests.running
  }

  stop(): void {
    this.#isStopping = true
    // After all calls made before.
    queueMicrotask(() => this.#end(stopped, 'asked'))
  }

  retire(): void {
    this.#requests.whenEmpty(() => this.stop())
  }

  run<Asked extends Work>(
    work: Asked,
    context: RequestContext,
    watch: RequestWatch = {},
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    return this.#requests.run(work, context, watch)
  }

  abandonRequests(reason: string): void {
    this.#requests.disconnect(reason, 'given-up')
  }

  stats(): Promise<EngineStats | undefined> {
    return this.#call((engine) => engine.stats())
  }

  /** Ends the engine after an error thrown in a call or a callback. */
  fail(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#tell(() => {
      this.#options.onLine?.(text)
      this.#log('info', text)
    })
    const reason = `an error in the engine ended it: ${text}`
    if (!this.#isStopping) this.#tell(() => this.#log('error', `engine ended: ${reason}`))
    if (!this.#isStopping && this.#engine === undefined) this.#report({ type: 'start-failed', code: 'other', reason })
    this.#end(reason, 'crash')
  }

  #begin(load: LoadEngine<WorkKind, never>, runtime: RuntimePaths): void {
    if (this.#ending.signal.aborted) return
    this.#runtime = runtime
    this.#timer.end('files')
    const { model, isCautious, host } = this.#options
    const setup = {
      ...{ model, runtime, isCautious, signal: this.#ending.signal },
      settings: settingsOf(model.manifest, host.settings) as never,
      emit: (events: Parameters<RequestsInFlight['receive']>[0]) => this.#tell(() => this.#requests.receive(events)),
    }
    inEngine.run(this, async () => {
      try {
        const engine = await load(setup)
        this.#tell(() => this.#serve(engine))
      } catch (error) {
        this.#tell(() => this.#log('error', `engine ended: ${loadFailure(error).message}`))
        this.#failLoad(error)
      }
    })
  }

  #serve(engine: Engine): void {
    if (this.#isStopping) return
    this.#cancelProgress()
    this.#timer.end('process')
    this.#engine = engine
    this.#requests.connect(this.#reached)
    this.#options.onEvent({ type: 'started', info: engine.info, isCautious: this.#options.isCautious })
  }

  #failLoad(error: unknown): void {
    const { code, message } = loadFailure(error)
    if (!this.#isStopping) this.#report({ type: 'start-failed', code, reason: message })
    this.#end(message, 'killed', code)
  }

  /** Reports periodically that the load continues, until it is over. */
  #progressLater(): void {
    this.#cancelProgress = this.#options.host.clock.after(checkEveryMs, () => {
      this.#options.onEvent({ type: 'progress' })
      this.#progressLater()
    })
  }

  readonly #reached: ReachedEngine = {
    sendAhead: async () => undefined,
    run: (id, accountId, work, trace) => void this.#call((engine) => engine.run(id, accountId, wholeWork(work), trace)),
    grant: (id, grant) => void this.#call((engine) => engine.grant(id, grant)),
    cancel: (id) => void this.#call((engine) => engine.cancel(id)),
    pause: (id, isPaused) => void this.#call((engine) => engine.pause?.(id, isPaused)),
  }

  /**
   * Calls the engine, after earlier calls. Resolves with undefined if the engine is not loaded, has ended, or ends by
   * this call.
   */
  async #call<Result>(act: (engine: Engine) => Result): Promise<Result | undefined> {
    await Promise.resolve()
    const engine = this.#engine
    if (engine === undefined || this.#ending.signal.aborted) return undefined
    try {
      return inEngine.run(this, () => act(engine))
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  /** Ends the engine after all its earlier events. A throwing listener must not prevent the end. */
  #end(reason: string, cause: EndCause, code?: string): void {
    if (this.#ending.signal.aborted) return
    this.#cancelProgress()
    const wasAsked = this.#isStopping
    const why = wasAsked ? stopped : reason
    this.#report({
      ...{ type: 'exited', reason: why, wasAsked },
      cause: !wasAsked && code === 'out-of-memory' ? code : 'ended',
    })
    // After the exit is reported, so that the places of failing requests are not given to new ones.
    this.#tell(() => this.#requests.disconnect(why, wasAsked ? 'asked' : cause))
    inEngine.run(this, () => this.#ending.abort(new Error('the engine was ended')))
  }

  #report(event: ProcessEvent): void {
    this.#tell(() => this.#options.onEvent(event))
  }

  /** Calls the server's code later, outside the engine's context. Does nothing once the engine has ended. */
  #tell(tell: () => void): void {
    if (this.#ending.signal.aborted) return
    queueMicrotask(() => inEngine.run(undefined, tell))
  }

  #log(level: 'info' | 'error', message: string): void {
    const { host, model } = this.#options
    host.log({ modelId: model.manifest.id, level, message })
  }
}

/** Engine whose code is running. Undefined in the server's code. */
const inEngine = new AsyncLocalStorage<InServerEngine | undefined>()
let isBlaming = false

/** Makes a throwing timer or socket of an engine end only that engine. Other uncaught errors still end the server. */
function blameEngines(): void {
  if (isBlaming) return
  isBlaming = true
  process.on('uncaughtException', (error) => {
    const engine = inEngine.getStore()
    if (engine === undefined) throw error
    engine.fail(error)
  })
}
