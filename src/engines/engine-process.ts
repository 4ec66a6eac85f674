/**
 * One model's engine child and its life: stopped -> starting -> ready -> stopping -> stopped, or failed after three
 * failures in a minute. Callers never read the state and then act on it: they call `ensureReady` and `chat`.
 */
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import { decideRestart } from './crash-policy.ts'
import { engineFailed, modelUnavailable, overloaded } from './engine-errors.ts'
import { EventQueue } from './event-queue.ts'
import type { EngineMeter } from './meter.ts'
import {
  type EngineInfo,
  type EngineOptions,
  type EngineStats,
  type FromEngine,
  protocolVersion,
  type RuntimePaths,
} from './protocol.ts'
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
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
}

export interface ChatContext {
  readonly accountId: string
  readonly signal: AbortSignal
  readonly meter: EngineMeter
}

interface OpenRequest {
  readonly queue: EventQueue<ChatEvent>
  started: boolean
}

/** A line on the error output belongs to the end of a child when it is not older. */
const lastWordsMs = 2_000

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
  /** Requests that came while the model is loaded. */
  #waitingForLoad = 0
  #failureTimesMs: number[] = []
  #nextId = 1
  readonly #requests = new Map<number, OpenRequest>()
  readonly #statsWaiters = new Map<number, (stats: EngineStats | undefined) => void>()
  #onReady: ((outcome: 'ready' | { failure: string }) => void) | undefined
  #exited = Promise.withResolvers<void>()

  constructor(setup: EngineProcessOptions) {
    this.#setup = setup
    this.#model = setup.model
  }

  /** What the next start loads: the catalog may have changed. A child that runs keeps what it has. */
  loadNext(model: InstalledModel): void {
    this.#model = model
  }

  status(): EngineStatus {
    const open = [...this.#requests.values()]
    return {
      modelId: this.#modelId,
      state: this.#hasGivenUp() ? 'failed' : this.#state,
      pid: this.#child?.pid,
      info: this.#info,
      restarts: Math.max(0, this.#starts - 1),
      lastExit: this.#lastExit,
      failedLoad: this.#failedLoad,
      running: open.filter((request) => request.started).length,
      waiting: this.#waitingForLoad + open.filter((request) => !request.started).length,
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
   * Runs one request. The engine's work ends when the generator is returned early or `signal` aborts (then it throws
   * the signal's reason). Throws ApiError `engine_failed` when the child dies, and what the engine refuses.
   */
  chat(request: ChatRequest, { accountId, signal }: ChatContext): AsyncGenerator<ChatEvent> {
    return this.#run('chat', request, accountId, signal)
  }

  /** Tokens of the request's prompt. Throws as `chat` does. */
  async countTokens(request: ChatRequest, accountId: string, signal: AbortSignal): Promise<number> {
    for await (const event of this.#run('count', request, accountId, signal)) {
      if (event.type === 'start') return event.promptTokens
    }
    throw new Error('the engine counted nothing: this is a bug')
  }

  async *#run(
    type: 'chat' | 'count',
    request: ChatRequest,
    accountId: string,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent> {
    signal.throwIfAborted()
    this.#requireRoom()
    await this.#waitUntilReady()
    signal.throwIfAborted()
    const child = this.#child
    if (child === undefined) throw engineFailed(this.#modelId, this.#lastExit ?? 'stopped')
    const id = this.#nextId++
    const open: OpenRequest = { queue: new EventQueue<ChatEvent>(), started: false }
    this.#requests.set(id, open)
    const abort = () => open.queue.fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    child.send({ type, id, accountId, request })
    try {
      yield* open.queue.drain()
    } finally {
      signal.removeEventListener('abort', abort)
      // Still listed: the engine has not ended it, so it must hear that nobody listens any more.
      if (this.#requests.delete(id)) this.#child?.send({ type: 'cancel', id })
    }
  }

  async #waitUntilReady(): Promise<void> {
    this.#waitingForLoad++
    try {
      await this.ensureReady()
    } finally {
      this.#waitingForLoad--
    }
  }

  /** A queue without end helps nobody: the last in it would wait for minutes. */
  #requireRoom(): void {
    const { maxWaiting } = this.#setup.options
    if (this.status().waiting >= maxWaiting) throw overloaded(this.#modelId, maxWaiting)
  }

  /** The engine's own counters; undefined when it does not run. */
  async stats(): Promise<EngineStats | undefined> {
    const child = this.#child
    if (this.#state !== 'ready' || child === undefined) return undefined
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#statsWaiters.set(id, resolve)
      child.send({ type: 'stats', id })
    })
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
    const decision = decideRestart(this.#failureTimesMs, this.#setup.nowMs())
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
    const outcome = await new Promise<'ready' | { failure: string }>((resolve) => {
      this.#onReady = resolve
      this.#trySpawn(runtime)
    })
    this.#onReady = undefined
    if (outcome !== 'ready') {
      this.#failedLoad = outcome.failure
      throw modelUnavailable(this.#modelId, 'could not be loaded', { reason: outcome.failure })
    }
    // stop() came while the child was saying so.
    if (this.#current() === 'stopping') throw this.#isBeingStopped()
    this.#failedLoad = undefined
    this.#state = 'ready'
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
        this.#lastLog = { line, atMs: this.#setup.nowMs() }
        this.#log('info', line)
      },
    })
    this.#child = child
    child.send({ type: 'load', version: protocolVersion, kind, model, options, runtime })
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
        this.#statsWaiters.get(message.id)?.(message.stats)
        this.#statsWaiters.delete(message.id)
        return
      case 'events':
        for (const item of message.events) {
          const open = this.#requests.get(item.id)
          if (open === undefined) continue // cancelled meanwhile
          if ('event' in item) {
            open.started = true
            open.queue.push(item.event)
            continue
          }
          this.#requests.delete(item.id)
          if ('error' in item) {
            const { kind, message: text, ...details } = item.error
            open.queue.fail(new ApiError(kind, text, details))
          } else open.queue.end()
        }
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
    this.#state = 'stopped'
    const failure = expected ? 'it was stopped' : this.#recordFailure(reason)
    this.#onReady?.({ failure })
    for (const { queue } of this.#requests.values()) queue.fail(engineFailed(this.#modelId, failure))
    this.#requests.clear()
    for (const resolve of this.#statsWaiters.values()) resolve(undefined)
    this.#statsWaiters.clear()
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
    const { kind } = decideRestart(this.#failureTimesMs, this.#setup.nowMs())
    return this.#state === 'stopped' && kind === 'give-up'
  }

  /** What the child wrote just before it ended. An older line is about something else. */
  #lastWords(): string | undefined {
    const last = this.#lastLog
    return last !== undefined && this.#setup.nowMs() - last.atMs < lastWordsMs ? last.line : undefined
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
    this.#failureTimesMs = [...this.#failureTimesMs.slice(-2), this.#setup.nowMs()]
  }

  #log(level: EngineLogLine['level'], message: string): void {
    this.#setup.log({ modelId: this.#modelId, level, message })
  }
}
