import { type ApiError, errorRule } from '../core/errors.ts'
import { nothingConsumed, type Usage } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import type { Bill } from '../inference/bill.ts'
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
  readonly arrivedAtMs: number
  readonly clock: () => number
}

const maximumPathLength = 200

/** Observes a request while it runs, for its line in the log. Nothing else depends on it. */
export class RequestRecord {
  readonly #options: RequestRecordOptions
  #bill: Pick<Bill, 'settlement' | 'times'> | undefined
  #firstOutputAtMs: number | undefined
  #usage: Usage | undefined
  #error: ApiError | undefined
  isStream = false
  isAborted: boolean | undefined
  isProbe: boolean | undefined
  status = 0
  accountId: string | undefined
  keyId: string | undefined
  /** Canonical id. */
  model: string | undefined

  constructor(options: RequestRecordOptions) {
    this.#options = options
  }

  get requestId(): string {
    return this.#options.requestId
  }

  /** The request is paid for: its line tells times, tokens and cost. */
  watch(bill: Pick<Bill, 'settlement' | 'times'>): void {
    this.#bill = bill
  }

  /** Keeps the token counts of what passes: the prompt's at the start, all of them at the end. Nothing of free work. */
  saw(event: WorkEvent): void {
    if (this.#bill === undefined) return
    if (event.type === 'finish') this.#usage = tokensOf(event.usage)
    else if (event.type === 'start') this.#usage = tokensOf({ ...nothingConsumed, ...event })
    else if ('choice' in event) this.#firstOutputAtMs ??= this.#options.clock()
  }

  /** The error that is sent. */
  failed(error: ApiError): void {
    this.#error = error
  }

  /** The line, at the end of the request. */
  line(): HttpLogLine {
    const { requestId, method, path, arrivedAtMs, clock } = this.#options
    const { status, accountId, keyId, model, isStream, isAborted, isProbe } = this
    const error = this.#error
    const settlement = this.#bill?.settlement
    return {
      requestId,
      method,
      path: path.slice(0, maximumPathLength),
      status,
      durationMs: clock() - arrivedAtMs,
      accountId,
      keyId,
      model,
      isStream,
      isAborted,
      isProbe,
      // What was computed for a client that disconnected is known from its settlement alone.
      usage: settlement === undefined ? this.#usage : tokensOf(settlement.used),
      costNanoUsd: settlement?.costNanoUsd,
      finish: settlement?.finish,
      firstOutputMs: this.#firstOutputAtMs === undefined ? undefined : this.#firstOutputAtMs - arrivedAtMs,
      ...this.#bill?.times(),
      code: error?.code,
      // Errors of clients need no stack.
      cause: error !== undefined && errorRule(error.kind).status >= 500 ? error : undefined,
    }
  }
}

function tokensOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage): Usage {
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens }
}
