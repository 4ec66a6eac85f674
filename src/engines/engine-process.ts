/** One model's engine child: carries out what `supervisor.ts` decides, and tells it what happens. */
import type { InstalledModel } from '../core/model.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import { type Effect, type EngineLife, type LifeEvent, newLife, type Phase } from './engine-life.ts'
import type { EngineSettings } from './engine-table.ts'
import { settingsOf } from './model-settings.ts'
import { type EngineInfo, type EngineStats, type LoadFailure, protocolVersion, type RuntimePaths } from './protocol.ts'
import { RequestsInFlight } from './requests-in-flight.ts'
import type { EngineChild, EngineSpawn } from './spawn-engine.ts'
import { afterEvent } from './supervisor.ts'
import type { RequestContext } from './work-engines.ts'

export type EngineState = 'stopped' | 'starting' | 'ready' | 'stopping' | 'failed'

export interface EngineStatus {
  readonly modelId: string
  readonly state: EngineState
  readonly pid: number | undefined
  readonly info: EngineInfo | undefined
  /** Starts after the first one. */
  readonly restarts: number
  /** Why the child last ended without being asked to. For the operator alone. */
  readonly lastExit: string | undefined
  /** Why the model could not be loaded the last time; undefined when it could, or was not tried. For the operator. */
  readonly failedLoad: string | undefined
  /** What kind of failure that was. */
  readonly failedLoadCode?: LoadFailure | undefined
  readonly running: number
  readonly waiting: number
}

export interface EngineLogLine {
  readonly modelId: string
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

export interface EngineClock {
  /** Milliseconds that never go back. */
  readonly nowMs: () => number
  /** Calls back once, unless the function that it returns is called before. */
  readonly after: (ms: number, callback: () => void) => () => void
}

export interface EngineProcessOptions {
  readonly spawn: EngineSpawn
  /** Of the server, for what a model's manifest leaves open. */
  readonly settings: EngineSettings
  /** Asked at each engine start; may unpack files on its first call. */
  readonly runtime: () => Promise<RuntimePaths>
  readonly log: (line: EngineLogLine) => void
  readonly clock: EngineClock
  /** No request of the model runs or waits any more. */
  readonly onIdle: (modelId: string) => void
}

const stateOf: Readonly<Record<Phase['type'], EngineState>> = {
  stopped: 'stopped',
  failed: 'failed',
  waiting: 'starting',
  preparing: 'starting',
  loading: 'starting',
  ready: 'ready',
  stopping: 'stopping',
}

/** Callers never read the state and then act on it: they load, unload and run. */
export class EngineProcess {
  readonly #modelId: string
  readonly #setup: EngineProcessOptions
  readonly #requests: RequestsInFlight
  #life: EngineLife
  #child: EngineChild | undefined
  #loading: PromiseWithResolvers<void> | undefined
  #unloading: PromiseWithResolvers<void> | undefined
  #cancelTimer: () => void = () => undefined
  #cancelKeeping: () => void = () => undefined
  /** Happened while effects of an earlier event are carried out. */
  readonly #events: LifeEvent[] = []
  #isBusy = false

  constructor(model: InstalledModel, setup: EngineProcessOptions) {
    this.#modelId = model.manifest.id
    this.#setup = setup
    this.#life = newLife(model)
    this.#requests = new RequestsInFlight({
      modelId: this.#modelId,
      maxWaiting: ({ manifest }) => settingsOf(manifest, setup.settings).maxWaiting ?? Number.POSITIVE_INFINITY,
      load: (wanted) => this.load(wanted),
      onIdle: () => {
        this.#tell({ type: 'idle' })
        this.#keepForAWhile()
        setup.onIdle(this.#modelId)
      },
    })
  }

  status(): EngineStatus {
    const { phase, history } = this.#life
    const mayRetry = phase.type === 'failed' && this.#setup.clock.nowMs() >= phase.retryAtMs
    return {
      modelId: this.#modelId,
      state: mayRetry ? 'stopped' : stateOf[phase.type],
      pid: this.#child?.pid,
      info: phase.type === 'ready' ? phase.info : undefined,
      restarts: Math.max(0, history.starts - 1),
      lastExit: history.lastExit,
      failedLoad: history.failedLoad,
      failedLoadCode: history.failedLoadCode,
      ...this.#requests.counts(),
    }
  }

  /**
   * Resolves when the model can serve; joins a load in flight. A child that has an older version of the model, and no
   * requests, is replaced first. Throws ApiError `model_unavailable` when the model cannot be loaded.
   */
  load(model: InstalledModel): Promise<void> {
    this.#loading ??= Promise.withResolvers()
    const { promise } = this.#loading
    this.#tell({ type: 'load', model, isIdle: this.#requests.isIdle() })
    return promise
  }

  /** Ends the child, in the middle of a load too; its requests fail. Resolves when it is gone. */
  unload(): Promise<void> {
    this.#unloading ??= Promise.withResolvers()
    const { promise } = this.#unloading
    this.#tell({ type: 'unload' })
    return promise
  }

  /**
   * Runs one request as far as `meter` grants. The engine's work ends when the generator is returned early, `signal`
   * aborts (then it throws the signal's reason) or the meter throws (then it throws the same); the generator ends when
   * the engine has stopped and the meter has heard what was computed. Throws ApiError `engine_failed` when the child
   * dies, and what the engine refuses. While a `next` is pending only `signal` ends it.
   */
  run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    context: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    return this.#requests.run(model, work, context)
  }

  /** The engine's own counters; undefined when it does not run. */
  stats(): Promise<EngineStats | undefined> {
    return this.#requests.stats()
  }

  /** The model is unloaded when it has had no request for as long as it is kept, counted from now. */
  #keepForAWhile(): void {
    const { keepAliveMs = Number.POSITIVE_INFINITY } = settingsOf(this.#life.model.manifest, this.#setup.settings)
    this.#cancelKeeping()
    if (keepAliveMs === Number.POSITIVE_INFINITY) return
    this.#cancelKeeping = this.#setup.clock.after(keepAliveMs, () => {
      if (this.#requests.isIdle()) this.#tell({ type: 'expired' })
    })
  }

  #tell(event: LifeEvent): void {
    this.#events.push(event)
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        const [life, effects] = afterEvent(this.#life, next, this.#setup.clock.nowMs())
        this.#life = life
        for (const effect of effects) this.#carryOut(effect)
      }
    } finally {
      this.#isBusy = false
    }
  }

  /** What each effect does. */
  readonly #effects: { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void } = {
    admit: () => {
      if (this.#child !== undefined) this.#requests.connect(this.#child)
      this.#keepForAWhile()
      this.#loading?.resolve()
      this.#loading = undefined
    },
    refuse: ({ error }) => {
      this.#loading?.reject(error)
      this.#loading = undefined
    },
    prepare: () => {
      this.#setup.runtime().then(
        (runtime) => this.#tell({ type: 'prepared', runtime }),
        (error: unknown) => this.#tell({ type: 'preparation-failed', reason: reasonOf(error) }),
      )
    },
    spawn: (effect) => this.#spawn(effect),
    send: ({ message }) => this.#child?.send(message),
    kill: () => this.#child?.kill('SIGKILL'),
    'set-timer': ({ afterMs }) => {
      this.#cancelTimer()
      this.#cancelTimer = this.#setup.clock.after(afterMs, () => this.#tell({ type: 'timer' }))
    },
    'clear-timer': () => this.#cancelTimer(),
    deliver: ({ message }) => this.#requests.receive(message),
    'child-ended': ({ reason }) => {
      this.#child = undefined
      this.#requests.disconnect(reason)
    },
    unloaded: () => {
      this.#unloading?.resolve()
      this.#unloading = undefined
    },
    'load-again': () => {
      this.load(this.#life.model).catch((error: unknown) => this.#log('error', String(error)))
    },
    log: ({ level, message }) => this.#log(level, message),
  }

  #carryOut(effect: Effect): void {
    const carryOut = this.#effects[effect.type] as (effect: Effect) => void // the one of its type
    carryOut(effect)
  }

  /** A program that is not there any more, or a system out of processes, is a failed load like any other. */
  #spawn({ child, model, runtime, isCautious }: Extract<Effect, { type: 'spawn' }>): void {
    const kind = model.manifest.engine
    const settings = settingsOf(model.manifest, this.#setup.settings)
    try {
      this.#child = this.#setup.spawn(kind, {
        onMessage: (message) => this.#tell({ type: 'message', child, message }),
        onExit: (reason) => this.#tell({ type: 'exit', child, reason }),
        onLogLine: (text) => this.#tell({ type: 'log-line', child, text }),
      })
      this.#child.send({ type: 'load', version: protocolVersion, kind, model, settings, runtime, isCautious })
    } catch (error) {
      this.#tell({ type: 'exit', child, reason: reasonOf(error) })
    }
  }

  #log(level: EngineLogLine['level'], message: string): void {
    this.#setup.log({ modelId: this.#modelId, level, message })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
