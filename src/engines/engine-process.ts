/**
 * One model's engine child and its life: stopped -> starting -> ready -> stopping -> stopped, or failed after three
 * failures in a minute. Callers never read the state and then act on it: they call `ensureReady` and `chat`.
 */
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import type { EncodeEvent, EncodeRequest } from '../core/encode.ts'
import type { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import { decideRestart } from './crash-policy.ts'
import { modelUnavailable } from './engine-errors.ts'
import { engineTable } from './engine-table.ts'
import {
  type EngineInfo,
  type EngineOptions,
  type EngineStats,
  type FromEngine,
  protocolVersion,
  type RuntimePaths,
} from './protocol.ts'
import { type RequestContext, RequestsInFlight } from './requests-in-flight.ts'
import type { EngineChild, EngineSpawn } from './spawn-engine.ts'

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
  readonly running: number
  readonly waiting: number
}

export interface EngineLogLine {
  readonly modelId: string
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

export interface EngineProcessOptions {
  readonly model: InstalledModel
  readonly spawn: EngineSpawn
  readonly options: EngineOptions
  readonly runtime: () => Promise<RuntimePaths>
  readonly log: (line: EngineLogLine) => void
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** A line on the error output belongs to the end of a child when it is not older. */
const lastWordsMs = 2_000

/** How a load ended. */
type LoadOutcome = 'ready' | { readonly failure: string; readonly isCrash: boolean }

/** A child that ignores `stop` this long is killed. */
const stopGraceMs = 5_000

export class EngineProcess {
  readonly #setup: EngineProcessOptions
  #model: InstalledModel
  #state: Exclude<EngineState, 'failed'> = 'stopped'
  #child: EngineChild | undefined
  #starting: Promise<void> | undefined
  #info: EngineInfo | undefined
  #starts = 0
  #lastExit: string | undefined
  #lastLog: { readonly line: string; readonly atMs: number } | undefined
  /** What the child itself said about a load that failed: explains its exit better than the exit code. */
  #loadFailure: string | undefined
  #failedLoad: string | undefined
  #failureTimesMs: number[] = []
  readonly #requests: RequestsInFlight
  #onReady: ((outcome: LoadOutcome) => void) | undefined
  /** A load killed its child: the next ones leave out what may have done it. */
  #isCautious = false
  #exited = Promise.withResolvers<void>()

  constructor(setup: EngineProcessOptions) {
    this.#setup = setup
    this.#model = setup.model
    this.#requests = new RequestsInFlight({
      modelId: setup.model.manifest.id,
      maxWaiting: setup.options.maxWaiting,
      ensureReady: () => this.ensureReady(),
      child: () => this.#child,
      lastExit: () => this.#lastExit,
    })
  }

  /** What the next start loads: the catalog may have changed. A child that runs keeps what it has. */
  loadNext(model: InstalledModel): void {
    this.#model = model
  }

  status(): EngineStatus {
    return {
      modelId: this.#modelId,
      state: this.#hasGivenUp() ? 'failed' : this.#state,
      pid: this.#child?.pid,
      info: this.#info,
      restarts: Math.max(0, this.#starts - 1),
      lastExit: this.#lastExit,
      failedLoad: this.#failedLoad,
      ...this.#requests.counts(),
    }
  }

  /** Resolves when the model can serve; joins a start in flight. Throws ApiError `model_unavailable` when it cannot. */
  async ensureReady(): Promise<void> {
    if (this.#state === 'ready') return
    if (this.#state === 'stopping') throw this.#isBeingStopped()
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  /**
   * Runs one request as far as `meter` grants. The engine's work ends when the generator is returned early, `signal`
   * aborts (then it throws the signal's reason) or the meter throws (then it throws the same); the generator ends when
   * the engine has stopped and the meter has heard what was computed. Throws ApiError `engine_failed` when the child
   * dies, and what the engine refuses. While a `next` is pending only `signal` ends it.
   */
  chat(request: ChatRequest, context: RequestContext): AsyncGenerator<ChatEvent> {
    return this.#requests.run({ type: 'chat', request }, context)
  }

  /**
   * Runs one request once `meter` has granted it; all else as `chat`. Texts do not wait for a slot: how many may wait is
   * the engine's own matter.
   */
  encode(request: EncodeRequest, context: RequestContext): AsyncGenerator<EncodeEvent> {
    return this.#requests.run({ type: 'encode', request }, context)
  }

  /** Tokens of the request's prompt. Throws as `chat` does. */
  async countTokens(request: ChatRequest, context: Omit<RequestContext, 'meter'>): Promise<number> {
    const events = this.#requests.run<ChatEvent>({ type: 'count', request }, { ...context, meter: undefined })
    for await (const event of events) {
      if (event.type === 'start') return event.promptTokens
    }
    throw new Error('the engine counted nothing: this is a bug')
  }

  /** The engine's own counters; undefined when it does not run. */
  async stats(): Promise<EngineStats | undefined> {
    const child = this.#child
    if (this.#state !== 'ready' || child === undefined) return undefined
    return this.#requests.stats(child)
  }

  /** Ends the child in the middle of a load too; open requests fail. Resolves when it is gone. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) {
      // A start that has no child yet looks at this before it makes one.
      this.#state = 'stopped'
      return
    }
    this.#state = 'stopping'
    child.send({ type: 'stop' })
    const killer = setTimeout(() => child.kill('SIGKILL'), stopGraceMs)
    await this.#exited.promise
    clearTimeout(killer)
  }

  get #modelId(): string {
    return this.#model.manifest.id
  }

  async #start(): Promise<void> {
    const decision = decideRestart(this.#failureTimesMs, this.#setup.monotonicMs())
    if (decision.kind === 'give-up') {
      throw modelUnavailable(this.#modelId, 'failed three times within a minute', {
        reason: this.#lastExit ?? 'unknown',
        retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
      })
    }
    this.#state = 'starting'
    if (decision.afterMs > 0) await this.#setup.sleep(decision.afterMs)
    const runtime = await this.#runtimePaths()
    // stop() came meanwhile.
    if (this.#current() === 'stopped') throw this.#isBeingStopped()
    const outcome = await this.#load(runtime)
    if (outcome !== 'ready') {
      this.#state = 'stopped'
      this.#failedLoad = outcome.failure
      throw modelUnavailable(this.#modelId, 'could not be loaded', { reason: outcome.failure })
    }
    // stop() came while the child was saying so.
    if (this.#current() === 'stopping') throw this.#isBeingStopped()
    this.#failedLoad = undefined
    this.#state = 'ready'
  }

  /** Tries it a second time, cautiously, where that may help a model that kills its engine. */
  async #load(runtime: RuntimePaths): Promise<LoadOutcome> {
    const outcome = await new Promise<LoadOutcome>((resolve) => {
      this.#onReady = resolve
      this.#trySpawn(runtime)
    })
    this.#onReady = undefined
    const { engine } = this.#model.manifest
    if (this.#current() !== 'starting') return outcome
    if (outcome === 'ready' || !outcome.isCrash || this.#isCautious || !engineTable[engine].retriesCautiously)
      return outcome
    this.#isCautious = true
    this.#log('warn', 'loading it killed the engine; trying again with fewer optimizations')
    const second = await this.#load(runtime)
    // Care that does not help costs only speed.
    if (second !== 'ready') this.#isCautious = false
    return second
  }

  async #runtimePaths(): Promise<RuntimePaths> {
    try {
      return await this.#setup.runtime()
    } catch (error) {
      this.#state = 'stopped'
      this.#noteFailureTime()
      const reason = error instanceof Error ? error.message : String(error)
      this.#failedLoad = reason
      throw modelUnavailable(this.#modelId, 'could not be started', { reason })
    }
  }

  /** A program that is not there any more, or a system out of processes, is a failed load like any other. */
  #trySpawn(runtime: RuntimePaths): void {
    this.#starts++
    this.#lastLog = undefined
    this.#loadFailure = undefined
    this.#exited = Promise.withResolvers<void>()
    try {
      this.#spawn(runtime)
    } catch (error) {
      this.#onExit(error instanceof Error ? error.message : String(error))
    }
  }

  #spawn(runtime: RuntimePaths): void {
    const model = this.#model
    const { options, spawn } = this.#setup
    const kind = model.manifest.engine
    const child = spawn(kind, {
      onMessage: (message) => this.#onMessage(message),
      onExit: (reason) => this.#onExit(reason),
      onLogLine: (line) => {
        this.#lastLog = { line, atMs: this.#setup.monotonicMs() }
        this.#log('info', line)
      },
    })
    this.#child = child
    const isCautious = this.#isCautious
    child.send({ type: 'load', version: protocolVersion, kind, model, options, runtime, isCautious })
  }

  #onMessage(message: FromEngine): void {
    switch (message.type) {
      case 'ready':
        this.#info = message.info
        this.#onReady?.('ready')
        return
      case 'load-failed':
        this.#loadFailure = message.message
        return
      case 'stats':
      case 'events':
        this.#requests.receive(message)
        return
      default:
        unreachable(message)
    }
  }

  #onExit(reason: string): void {
    const wasReady = this.#state === 'ready'
    const expected = this.#state === 'stopping'
    this.#child = undefined
    this.#info = undefined
    // Who starts it decides whether it is tried again.
    if (this.#state !== 'starting') this.#state = 'stopped'
    const failure = expected ? 'it was stopped' : this.#recordFailure(reason)
    // SIGKILL comes from outside, mostly for want of memory.
    const isCrash = !expected && this.#loadFailure === undefined && reason !== 'signal SIGKILL'
    this.#onReady?.({ failure, isCrash })
    this.#requests.fail(failure)
    this.#exited.resolve()
    // Loading again right away spares the next caller the wait; whoever asks joins this start.
    if (wasReady && !expected) void this.ensureReady().catch((error) => this.#log('error', String(error)))
  }

  #isBeingStopped(): ApiError {
    return modelUnavailable(this.#modelId, 'is being stopped', { retryAfterSeconds: 1 })
  }

  /** The state as it is after others had their turn; the compiler believes that nothing changes it meanwhile. */
  #current() {
    return this.#state
  }

  /** For a while only: then the next request tries again, and until then nobody needs to be kept away. */
  #hasGivenUp(): boolean {
    const { kind } = decideRestart(this.#failureTimesMs, this.#setup.monotonicMs())
    return this.#state === 'stopped' && kind === 'give-up'
  }

  /** What the child wrote just before it ended. An older line is about something else. */
  #lastWords(): string | undefined {
    const last = this.#lastLog
    return last !== undefined && this.#setup.monotonicMs() - last.atMs < lastWordsMs ? last.line : undefined
  }

  /** Returns what is known about the failure, for the operator. */
  #recordFailure(reason: string): string {
    const words = this.#lastWords()
    const failure = [this.#loadFailure ?? reason, ...(words === undefined ? [] : [words])].join(': ')
    this.#lastExit = failure
    this.#noteFailureTime()
    this.#log('error', `engine ended: ${failure}`)
    return failure
  }

  /** Only the last few decide (`crash-policy.ts`). */
  #noteFailureTime(): void {
    this.#failureTimesMs = [...this.#failureTimesMs.slice(-2), this.#setup.monotonicMs()]
  }

  #log(level: EngineLogLine['level'], message: string): void {
    this.#setup.log({ modelId: this.#modelId, level, message })
  }
}
