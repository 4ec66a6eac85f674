/** One engine process, which serves one model from its load to its end: carries out what `supervisor.ts` decides. */

import { errorText } from '../../core/error-text.ts'
import { type LoadTimes, PhaseTimer, sumOfTimes } from '../../core/load-phases.ts'
import type { Placement } from '../../core/memory.ts'
import type { EngineKind, InstalledModel } from '../../core/model.ts'
import type { StepCurve } from '../../core/step-costs.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { DeviceSetting } from '../backends/choose-backend.ts'
import type { Reason } from '../backends/reasons.ts'
import { type EngineSettings, engineTable } from '../engine-table.ts'
import { settingsOf } from '../model-settings.ts'
import { loadFailure } from '../protocol/load-error.ts'
import {
  type EngineInfo,
  type EngineLogLine,
  type EngineStats,
  protocolVersion,
  type RuntimePaths,
} from '../protocol/protocol.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import type { EngineClock } from '../shared/engine-clock.ts'
import type { DeadlyPictures } from './deadly-pictures.ts'
import { type Effect, type EngineLife, type LifeEvent, newLife, type ProcessEvent } from './engine-life.ts'
import { FileCheck } from './file-check.ts'
import type { Handover } from './handover.ts'
import { RequestsInFlight, type RequestWatch } from './requests-in-flight.ts'
import type { SpareChild } from './spare-child.ts'
import type { EngineChild, EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'
import { afterEvent } from './supervisor.ts'

/** Needs of all processes of a server. */
export interface EngineHost {
  readonly spawn: EngineSpawn
  /** The server's settings, for everything that a model's manifest leaves open. */
  readonly settings: EngineSettings
  /** Asked at each engine start; may unpack files, and probe the engine's backends for the device, on its first call. */
  readonly runtime: (device?: DeviceSetting, kind?: EngineKind) => Promise<RuntimePaths>
  /** Called at each load, and beside it. Throws a `LoadError` when the model's files are damaged. `signal` aborts when the load is stopped. */
  readonly checkFiles?: (model: InstalledModel, signal: AbortSignal) => Promise<void>
  readonly backends?: ChosenBackends
  /** Returns the tokens, prompt and answer, of the latest requests to a model, the oldest first. Asked at each load. */
  readonly pastTokens?: (modelId: string) => readonly number[]
  readonly log: (line: EngineLogLine) => void
  readonly clock: EngineClock
}

/** Backends of models, as far as they were probed. */
export interface ChosenBackends {
  /** Returns the id of the backend that the next load takes; undefined for an engine that has no choice. */
  chosen(kind: EngineKind, device: DeviceSetting): string | undefined
  /** Returns whether the driver compiles kernels for a card when that backend computes. */
  compiles(kind: EngineKind, device: DeviceSetting): boolean
  /**
   * Called for each process that has ended by itself, with its last lines and its start options. Returns the reason if
   * its backend ended it: the next load then takes another one.
   */
  noteEnd(end: EngineEnd): Reason | undefined
}

export interface EngineEnd {
  readonly kind: EngineKind
  readonly device: DeviceSetting
  readonly runtime: RuntimePaths
  /** Places of the GPUs that held the model, none if the CPU computed; undefined for a dry run, which opens all. */
  readonly devices: readonly number[] | undefined
  readonly lines: readonly string[]
}

export interface EngineProcessOptions {
  readonly model: InstalledModel
  readonly placement: Placement['load']
  /** Costs of steps that earlier loads have measured. */
  readonly stepCurves?: readonly StepCurve[] | undefined
  /** A load of the model killed its child before. */
  readonly isCautious: boolean
  /** The driver may compile kernels meanwhile, which takes minutes. */
  readonly mayCompile?: boolean
  /** Pictures that killed engines of the model; this one adds its own. */
  readonly deadlyPictures: DeadlyPictures
  readonly host: EngineHost
  readonly onEvent: (event: ProcessEvent) => void
  /** Memory file with prompts of an earlier process; this one leaves its own there. */
  readonly handover?: Handover | undefined
  /** A child that waits for this load, with the same memory file. */
  readonly spare?: SpareChild | undefined
  /** Called with each line that the child writes on its error output. */
  readonly onLine?: (line: string) => void
}

/** Starts at once. */
export class EngineProcess {
  readonly #options: EngineProcessOptions
  readonly #requests: RequestsInFlight
  #life: EngineLife
  #child: EngineChild | undefined
  #childNumber = 0
  readonly #check: FileCheck
  #info: EngineInfo | undefined
  #runtime: RuntimePaths | undefined
  #cancelTimer: () => void = () => undefined
  #isRetired = false
  readonly #timer: PhaseTimer
  #loadTimes: LoadTimes = {}
  /** Happened while effects of an earlier event are carried out. */
  readonly #events: LifeEvent[] = []
  #isBusy = false

  constructor(options: EngineProcessOptions) {
    this.#options = options
    const { model, placement, isCautious, mayCompile = false } = options
    const { retriesCautiously } = engineTable[model.manifest.engine]
    const isOnGpu = placement.device === 'cuda'
    this.#timer = new PhaseTimer(() => options.host.clock.nowMs())
    this.#life = newLife({
      isCautious,
      mayCompile,
      retriesCautiously: retriesCautiously === 'on-gpu' ? isOnGpu : retriesCautiously,
    })
    this.#requests = new RequestsInFlight({
      modelId: model.manifest.id,
      onSurvived: (pictures) => options.deadlyPictures.acquit(pictures),
    })
    const { host } = options
    this.#check = new FileCheck(
      (signal) => host.checkFiles?.(model, signal),
      (error) => this.#failCheck(error),
    )
    const { device } = settingsOf(model.manifest, host.settings)
    host.runtime(device, model.manifest.engine).then(
      (runtime) => this.#tell({ type: 'prepared', runtime }),
      (error: unknown) => this.#tell({ type: 'preparation-failed', ...loadFailure(error) }),
    )
  }

  /** Ends the load after damaged files were found, with everything made of them. */
  #failCheck(error: unknown): void {
    const failure = loadFailure(error)
    this.#tell({ type: 'preparation-failed', ...failure })
    if (this.#child === undefined) return
    this.#tell({ type: 'message', child: this.#childNumber, message: { type: 'load-failed', ...failure } })
    this.#child.kill('SIGKILL')
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Undefined before the model is loaded. */
  get info(): EngineInfo | undefined {
    return this.#info
  }

  /** Phases of the load; empty before the model is loaded. */
  get loadTimes(): LoadTimes {
    return this.#loadTimes
  }

  /** Undefined before a child was started. */
  get runtime(): RuntimePaths | undefined {
    return this.#runtime
  }

  get running(): number {
    return this.#requests.running
  }

  /**
   * Ends it, in the middle of a load too; its requests fail. One that ends gracefully may leave so many bytes to the next process.
   * The event `exited` says that it is gone.
   */
  stop(how: 'graceful' | 'now', handoverBytes = 0): void {
    this.#tell({ type: 'stop', how, handoverBytes })
    this.#check.cancel()
  }

  /** Ends it when the requests that it has are finished. */
  retire(): void {
    this.#isRetired = true
    // One that has just been admitted comes first.
    setImmediate(() => this.#stopIfRetired())
  }

  #stopIfRetired(): void {
    if (this.#isRetired && this.#requests.isEmpty) this.stop('graceful')
  }

  /**
   * Runs one request as far as `meter` grants. The engine's work ends when the generator is returned early, `signal`
   * aborts (then it throws the signal's reason) or the meter throws (then it throws the same); the generator ends when
   * the engine has stopped and the meter has heard what was computed. Throws `EngineEnded` when the process ends before,
   * and what the engine refuses. While a `next` is pending only `signal` ends it. `watch.onEnd` is called when the
   * engine has no more to do with the request, though its last events may not have been read.
   */
  run<Asked extends Work>(
    work: Asked,
    context: RequestContext,
    watch: RequestWatch = {},
  ): AsyncGenerator<WorkEvent<Asked['kind']>> {
    const onEnd = (isServed: boolean) => {
      watch.onEnd?.(isServed)
      this.#stopIfRetired()
    }
    return this.#requests.run(work, context, { ...watch, onEnd })
  }

  /** Fails its requests, and ends later ones with `EngineEnded`: it is about to be stopped. */
  abandonRequests(reason: string): void {
    this.#requests.disconnect(reason, 'given-up')
  }

  /** Returns the engine's own counters; undefined before the model is loaded. */
  async stats(): Promise<EngineStats | undefined> {
    const stats = await this.#requests.stats()
    const { cacheLayout } = stats ?? {}
    if (cacheLayout !== undefined && this.#info !== undefined) this.#info = { ...this.#info, cacheLayout }
    return stats
  }

  #tell(event: LifeEvent): void {
    this.#events.push(event)
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        const [life, effects] = afterEvent(this.#life, next, this.#options.host.clock.nowMs())
        this.#life = life
        for (const effect of effects) this.#carryOut(effect)
      }
    } finally {
      this.#isBusy = false
    }
  }

  /** Carries out each effect, by its type. */
  readonly #effects: { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void } = {
    spawn: (effect) => this.#spawn(effect),
    send: ({ message }) => this.#child?.send(message),
    kill: () => this.#child?.kill('SIGKILL'),
    'set-timer': ({ afterMs }) => {
      this.#cancelTimer()
      this.#cancelTimer = this.#options.host.clock.after(afterMs, () => this.#tell({ type: 'timer' }))
    },
    'clear-timer': () => this.#cancelTimer(),
    deliver: ({ message }) => this.#requests.receive(message),
    disconnect: ({ reason, cause }) => this.#requests.disconnect(reason, cause),
    tell: ({ event }) => {
      if (event.type === 'started') {
        this.#noteTimes(event.times ?? {})
        this.#serve(event.info)
      }
      if (event.type === 'handed-over') this.#options.handover?.note(event.prefixes)
      // Before the requests are ended, which clears their pictures.
      if (event.type === 'lost' || (event.type === 'exited' && !event.wasAsked))
        this.#options.deadlyPictures.note(this.#requests.encoding)
      if (event.type === 'exited') this.#child = undefined
      this.#options.onEvent(event)
    },
    log: ({ level, message }) => {
      const { host, model } = this.#options
      host.log({ modelId: model.manifest.id, level, message })
    },
  }

  #carryOut(effect: Effect): void {
    const carryOut = this.#effects[effect.type] as (effect: Effect) => void // the one of its type
    carryOut(effect)
  }

  /** Records load times. Only the child knows when it begins to load: the rest of the time is the process's start. */
  #noteTimes(inside: LoadTimes): void {
    this.#timer.end('files')
    const { process = 0, ...before } = this.#timer.times
    this.#loadTimes = { ...before, process: Math.max(0, process - sumOfTimes(inside)), ...inside }
  }

  #serve(info: EngineInfo): void {
    this.#info = info
    // The child has taken the prompts that it found there.
    this.#options.handover?.note([])
    if (this.#child !== undefined) this.#requests.connect(this.#child)
  }

  /** Spawns a child. A missing program, or a system out of processes, is a failed load like any other. */
  #spawn({ child, runtime, isCautious }: Extract<Effect, { type: 'spawn' }>): void {
    const { host, model, placement, stepCurves, deadlyPictures: pictures, handover: left, spare } = this.#options
    const kind = model.manifest.engine
    const settings = settingsOf(model.manifest, host.settings)
    this.#runtime = runtime
    this.#childNumber = child
    this.#timer.end('files')
    try {
      const handlers: EngineChildHandlers = {
        onMessage: (message) => {
          const tell = () => this.#tell({ type: 'message', child, message })
          if (message.type !== 'ready') return tell()
          this.#timer.end('process')
          this.#check.passed(tell)
        },
        onExit: (reason) => {
          // The child is silent from now on, however long the check takes.
          this.#cancelTimer()
          // Damaged files explain an end better than what native code made of them.
          this.#check.ended(() =>
            this.#tell({ type: 'exit', child, reason, isEncoding: this.#requests.encoding.length > 0 }),
          )
        },
        onLogLine: (text) => {
          this.#options.onLine?.(text)
          this.#tell({ type: 'log-line', child, text })
        },
      }
      this.#child = spare?.take(handlers) ?? host.spawn(kind, handlers, left?.file)
      const version = protocolVersion
      const deadlyPictures = pictures.list()
      const suspectPictures = pictures.suspects()
      this.#child.send({
        type: 'load',
        version,
        kind,
        model,
        settings,
        runtime,
        isCautious,
        placement,
        deadlyPictures,
        suspectPictures,
        pastTokens: host.pastTokens?.(model.manifest.id),
        stepCurves,
        handover: left?.isWhole === false ? [] : left?.prefixes,
      })
    } catch (error) {
      this.#tell({ type: 'exit', child, reason: errorText(error) })
    }
  }
}
