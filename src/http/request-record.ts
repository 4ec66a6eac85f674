import { type ApiError, errorRule } from '../core/errors.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import type { Bill } from '../inference/bill.ts'
import type { RequestLine } from '../telemetry/request-log.ts'

const maximumPathLength = 200

/** Observes a request while it runs, for its line in the log, which its public fields are part of. Nothing else depends on it. */
export class RequestRecord {
  readonly requestId: string
  readonly method: string
  readonly path: string
  status = 0
  isStream = false
  isAborted: boolean | undefined
  isRoutine: boolean | undefined
  accountId: string | undefined
  keyId: string | undefined
  /** What the caller calls it; nothing is known of it. */
  callerRequestId: string | undefined
  /** Canonical id. */
  model: string | undefined
  /** Of a request to a model: path of the endpoint below /v1. */
  endpoint: string | undefined
  readonly #arrivedAtMs: number
  readonly #clock: () => number
  #bill: Pick<Bill, 'settlement' | 'times'> | undefined
  /** Called once, when the first output has passed. */
  #onOutput: (() => void) | undefined
  #listener: ((event: WorkEvent) => void) | undefined
  #usage: RequestLine['usage']
  #error: ApiError | undefined

  constructor(
    { requestId, method, path }: Pick<RequestLine, 'requestId' | 'method' | 'path'>,
    arrivedAtMs: number,
    clock: () => number,
  ) {
    this.requestId = requestId
    this.method = method
    this.path = path.slice(0, maximumPathLength)
    this.#arrivedAtMs = arrivedAtMs
    this.#clock = clock
  }

  /** The request is paid for: its line tells times, tokens and cost. `onOutput` is called once, at its first output. */
  watch(bill: Pick<Bill, 'settlement' | 'times'>, onOutput?: () => void): void {
    this.#bill = bill
    this.#onOutput = onOutput
  }

  /** Hears every event, of free work too. */
  listen(listener: (event: WorkEvent) => void): void {
    this.#listener = listener
  }

  /** Keeps the counts of what passes: the prompt's at the start, all of them at the end. Nothing of free work. */
  saw(event: WorkEvent): void {
    this.#listener?.(event)
    if (this.#bill === undefined) return
    if (event.type === 'finish') this.#usage = countsOf(event.usage)
    else if (event.type === 'start') this.#usage = countsOf({ ...nothingConsumed, ...event })
    else if (this.#onOutput !== undefined && this.#bill.times().firstOutputMs !== undefined) {
      this.#onOutput()
      this.#onOutput = undefined
    }
  }

  /** The error that is sent. */
  failed(error: ApiError): void {
    this.#error = error
  }

  /** The line, at the end of the request. */
  line(): RequestLine {
    const error = this.#error
    const settlement = this.#bill?.settlement
    return {
      ...this,
      durationMs: this.#clock() - this.#arrivedAtMs,
      // What was computed for a client that disconnected is known from its settlement alone.
      usage: settlement === undefined ? this.#usage : countsOf(settlement.used),
      costNanoUsd: settlement?.costNanoUsd,
      finish: settlement?.finish,
      isEstimated: settlement?.isEstimated === true ? true : undefined,
      ...this.#bill?.times(),
      code: error?.code,
      // Errors of clients need no stack.
      cause: error !== undefined && errorRule(error.kind).status >= 500 ? error : settlement?.excess,
    }
  }
}

/** Tokens of every request; characters and audio of those that have some. */
function countsOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens, ...speech }: Consumption) {
  const counted = Object.entries(speech).filter(([, amount]) => amount > 0)
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens, ...Object.fromEntries(counted) }
}
