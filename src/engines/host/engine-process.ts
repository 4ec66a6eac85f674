/** Engine in a separate process, from its load to its end. Carries out the decisions of `supervisor.ts`. */

import { errorText } from '../../core/error-text.ts'
import { type LoadTimes, PhaseTimer, sumOfTimes } from '../../core/load-phases.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import { engineTable } from '../engine-table.ts'
import { settingsOf } from '../model-settings.ts'
import type { RuntimePaths } from '../protocol/backend.ts'
import type { EngineStats } from '../protocol/engine.ts'
import { loadFailure } from '../protocol/load-error.ts'
import { protocolVersion } from '../protocol/messages.ts'
import type { RequestContext } from '../protocol/work-engines.ts'
import { ChildEngine } from './child-engine.ts'
import { type Effect, type EngineLife, type LifeEvent, newLife } from './engine-life.ts'
import { FileCheck } from './file-check.ts'
import type { HostedEngine, HostedEngineOptions } from './hosted-engine.ts'
import { RequestsInFlight, type RequestWatch } from './requests-in-flight.ts'
import type { EngineChild, EngineChildHandlers } from './spawn-engine.ts'
import { afterEvent } from './supervisor.ts'

/** One engine process, which starts with its construction. */
export class EngineProcess implements HostedEngine {
  readonly #options: HostedEngineOptions
  readonly #requests: RequestsInFlight
  #life: EngineLife
  #child: EngineChild | undefined
  #childNumber = 0
  readonly #check: FileCheck
  #info: EngineInfo | undefined
  #runtime: RuntimePaths | undefined
  #cancelTimer: () => void = () => undefined
  #reached: ChildEngine | undefined
  readonly #timer: PhaseTimer
  #loadTimes: LoadTimes = {}
  /** Events that occurred while the effects of an earlier event are carried out. */
  readonly #events: LifeEvent[] = []
  #isBusy = false

  constructor(options: HostedEngineOptions) {
    this.#options = options
    const { model, placement, isCautious, mayCompile = false } = options
    const { retriesCautiously, work, encodes } = engineTable[model.manifest.engine]
    const isOnGpu = placement.device === 'cuda'
    this.#timer = new PhaseTimer(() => options.host.clock.nowMs())
    this.#life = newLife({
      isCautious,
      mayCompile,
      retriesCautiously: retriesCautiously === 'on-gpu' ? isOnGpu : retriesCautiously,
    })
    this.#requests = new RequestsInFlight({
      modelId: model.manifest.id,
      work,
      encodes,
      onSurvived: (parts) => options.deadlyParts.acquit(parts),
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

  /** Fails the load because files are damaged, and kills the child that reads them. */
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

  get info(): EngineInfo | undefined {
    return this.#info
  }

  get loadTimes(): LoadTimes {
    return this.#loadTimes
  }

  get runtime(): RuntimePaths | undefined {
    return this.#runtime
  }

  get running(): number {
    return this.#requests.running
  }

  stop(how: 'graceful' | 'now', noteBytes = 0): void {
    this.#tell({ type: 'stop', how, noteBytes })
    this.#check.cancel()
  }

  retire(): void {
    this.#requests.whenEmpty(() => this.stop('graceful'))
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

  async stats(): Promise<EngineStats | undefined> {
    const stats = await this.#reached?.stats()
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

  /** Functions that carry out each effect, by type. */
  readonly #effects: { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void } = {
    spawn: (effect) => this.#spawn(effect),
    send: ({ message }) => this.#child?.send(message),
    kill: () => this.#child?.kill('SIGKILL'),
    'set-timer': ({ afterMs }) => {
      this.#cancelTimer()
      this.#cancelTimer = this.#options.host.clock.after(afterMs, () => this.#tell({ type: 'timer' }))
    },
    'clear-timer': () => this.#cancelTimer(),
    deliver: ({ message }) => {
      if (message.type === 'stats') this.#reached?.receiveStats(message)
      else this.#requests.receive(message.events)
    },
    disconnect: ({ reason, cause }) => {
      this.#reached?.end()
      this.#requests.disconnect(reason, cause)
    },
    tell: ({ event }) => {
      if (event.type === 'started') {
        this.#noteTimes(event.times ?? {})
        this.#serve(event.info)
      }
      if (event.type === 'note') this.#options.note?.record(event.parts)
      // Before the requests end, which clears their encoding parts.
      if (event.type === 'lost' || (event.type === 'exited' && !event.wasAsked))
        this.#options.deadlyParts.note(this.#requests.encoding)
      if (event.type === 'exited') this.#child = undefined
      this.#options.onEvent(event)
    },
    log: ({ level, message }) => {
      const { host, model } = this.#options
      host.log({ modelId: model.manifest.id, level, message })
    },
  }

  #carryOut(effect: Effect): void {
    const carryOut = this.#effects[effect.type] as (effect: Effect) => void // the function of the same type
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
    // The loaded child has taken over the note and emptied the file.
    this.#options.note?.record([])
    if (this.#child === undefined) return
    this.#reached = new ChildEngine(this.#child)
    this.#requests.connect(this.#reached)
  }

  /** Spawns a child. A missing program, or a system out of processes, is a failed load like any other. */
  #spawn({ child, runtime, isCautious }: Extract<Effect, { type: 'spawn' }>): void {
    const { host, model, placement, stepCurves, deadlyParts: parts, note, spare } = this.#options
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
          // The child sends nothing any more, so its watchdog stops even if the check takes long.
          this.#cancelTimer()
          // Damaged files explain an end better than the crash that they caused in native code.
          this.#check.ended(() => this.#tell({ type: 'exit', child, reason, encoding: this.#requests.encodes }))
        },
        onLogLine: (text) => {
          this.#options.onLine?.(text)
          this.#tell({ type: 'log-line', child, text })
        },
      }
      this.#child = spare?.take(handlers) ?? host.spawn(kind, handlers, note?.file)
      const version = protocolVersion
      this.#child.send({
        type: 'load',
        version,
        kind,
        model,
        settings,
        runtime,
        isCautious,
        placement,
        deadlyParts: parts.list(),
        suspectParts: parts.suspects(),
        pastTokens: host.pastTokens?.(model.manifest.id),
        stepCurves,
        note: note?.isWhole === false ? [] : note?.parts,
      })
    } catch (error) {
      this.#tell({ type: 'exit', child, reason: errorText(error) })
    }
  }
}
