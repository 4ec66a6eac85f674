import { type ApiError, errorRule } from '../core/errors.ts'
import type { Usage } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import type { RunTimes, Settlement } from '../inference/metered.ts'
import type { RequestLine } from '../telemetry/request-log.ts'

/** The line that a request leaves in the log. */
export interface HttpLogLine extends RequestLine {
  /** What the request is worth, and how it ended, as on its receipt. */
  readonly costNanoUsd?: number | undefined
  readonly finish?: string | undefined
  /** From arrival to the engine's acceptance of the prompt, when the model was loaded already. */
  readonly queuedMs?: number | undefined
  /** The same time when the model had to be loaded first. */
  readonly loadingMs?: number | undefined
  /** From the engine's acceptance to the end. */
  readonly runningMs?: number | undefined
}

export interface RequestRecordOptions {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly clock: () => number
  readonly log: (line: HttpLogLine) => void
}

const longestPath = 200

/** What becomes known about a request while it runs. Written to the log exactly once, by `end`. */
export class RequestRecord {
  readonly requestId: string
  readonly #options: RequestRecordOptions
  readonly #startedAtMs: number
  #acceptedAtMs: number | undefined
  #firstOutputAtMs: number | undefined
  #usage: Usage | undefined
  #settlement: Settlement | undefined
  #error: ApiError | undefined
  #isEnded = false
  /** The model had been loaded before the request came. */
  wasLoaded = true
  /** The response is a stream: whoever writes it calls `end`. */
  isStream = false
  isAborted: boolean | undefined
  isProbe: boolean | undefined
  status = 0
  accountId: string | undefined
  keyId: string | undefined
  /** Canonical id. */
  model: string | undefined

  get path(): string {
    return this.#options.path
  }

  /** As it came: handlers are given a HEAD as a GET. */
  get method(): string {
    return this.#options.method
  }

  constructor(options: RequestRecordOptions) {
    this.requestId = options.requestId
    this.#options = options
    this.#startedAtMs = options.clock()
  }

  /** Keeps times and token counts of what passes: the prompt's at the start, all of them at the end. */
  saw(event: WorkEvent): void {
    if (event.type === 'finish') this.#usage = tokensOf(event.usage)
    else if (event.type === 'start') {
      const { promptTokens, cachedTokens } = event
      this.#acceptedAtMs = this.#options.clock()
      this.#usage = { promptTokens, cachedTokens, completionTokens: 0, reasoningTokens: 0 }
    } else this.#firstOutputAtMs ??= this.#options.clock()
  }

  /** What a paid request came to; what was computed for a client that left is known from here alone. */
  settled(settlement: Settlement): void {
    this.#usage = tokensOf(settlement.used)
    this.#settlement = settlement
  }

  /** Undefined until `settled`. */
  get settlement(): Settlement | undefined {
    return this.#settlement
  }

  /** Where the time went so far. */
  times(): RunTimes {
    const waitedMs = this.#sinceStart(this.#acceptedAtMs)
    return {
      queuedMs: this.wasLoaded ? waitedMs : undefined,
      loadingMs: this.wasLoaded ? undefined : waitedMs,
      runningMs: this.#acceptedAtMs === undefined ? undefined : this.#options.clock() - this.#acceptedAtMs,
    }
  }

  /** The error that is sent. */
  failed(error: ApiError): void {
    this.#error = error
  }

  end(): void {
    if (this.#isEnded) throw new Error('a request ended twice: this is a bug')
    this.#isEnded = true
    const { requestId, status, accountId, keyId, model, isStream, isAborted, isProbe } = this
    const { method, path, clock, log } = this.#options
    const nowMs = clock()
    const error = this.#error
    log({
      requestId,
      method,
      path: path.slice(0, longestPath),
      status,
      durationMs: nowMs - this.#startedAtMs,
      accountId,
      keyId,
      model,
      isStream,
      isAborted,
      isProbe,
      usage: this.#usage,
      costNanoUsd: this.#settlement?.costNanoUsd,
      finish: this.#settlement?.finish,
      firstOutputMs: this.#sinceStart(this.#firstOutputAtMs),
      ...this.times(),
      code: error?.code,
      // What the caller did wrong needs no stack.
      cause: error !== undefined && errorRule(error.kind).status >= 500 ? error : undefined,
    })
  }

  #sinceStart(timeMs: number | undefined): number | undefined {
    return timeMs === undefined ? undefined : timeMs - this.#startedAtMs
  }
}

function tokensOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage): Usage {
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens }
}
