import { type ApiError, errorRule } from '../core/errors.ts'
import type { RequestRecord } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import type { Bill } from '../inference/bill.ts'

const maximumPathLength = 200

/** Observes a request while it runs and makes its record. No other part of the request depends on it. */
export class RequestObserver {
  readonly requestId: string
  status = 0
  isStream = false
  isAborted: boolean | undefined
  isRoutine: boolean | undefined
  accountId: string | undefined
  keyId: string | undefined
  callerRequestId: string | undefined
  traceParent: string | undefined
  /** Canonical id. */
  model: string | undefined
  /** Path of the endpoint below /v1. Undefined for requests that are not to a model. */
  endpoint: string | undefined
  readonly #method: string
  readonly #path: string
  readonly #arrivedAtMs: number
  readonly #clock: () => number
  #bill: Pick<Bill, 'settlement' | 'times'> | undefined
  /** Called once, when the first output has been made */
  #onOutput: (() => void) | undefined
  #listener: ((event: WorkEvent) => void) | undefined
  #used: RequestRecord['used']
  #error: ApiError | undefined

  constructor(
    { requestId, method, path }: { readonly requestId: string; readonly method: string; readonly path: string },
    arrivedAtMs: number,
    clock: () => number,
  ) {
    this.requestId = requestId
    this.#method = method
    this.#path = path.slice(0, maximumPathLength)
    this.#arrivedAtMs = arrivedAtMs
    this.#clock = clock
  }

  /** Takes times, use and cost of a paid request from its bill. Calls `onOutput` once, at the first output. */
  watch(bill: Pick<Bill, 'settlement' | 'times'>, onOutput?: () => void): void {
    this.#bill = bill
    this.#onOutput = onOutput
  }

  /** Passes every event to the listener, also events of free work. */
  listen(listener: (event: WorkEvent) => void): void {
    this.#listener = listener
  }

  /** Records the token counts of a paid request: the prompt's at the start, all of them at the end. */
  onEvent(event: WorkEvent): void {
    this.#listener?.(event)
    if (this.#bill === undefined) return
    if (event.type === 'finish') this.#used = event.usage
    else if (event.type === 'start') {
      const { promptTokens, cachedTokens } = event
      this.#used = { ...nothingConsumed, promptTokens, cachedTokens }
    } else if (this.#onOutput !== undefined && this.#bill.times().firstOutputMs !== undefined) {
      this.#onOutput()
      this.#onOutput = undefined
    }
  }

  /** Records the error that the client receives. */
  onError(error: ApiError): void {
    this.#error = error
  }

  /** Use of a paid request so far. For a client that disconnected, only the settlement knows it. */
  get used(): RequestRecord['used'] {
    return this.#bill?.settlement?.used ?? this.#used
  }

  /** Code of the error that the client receives. */
  get errorCode(): string | undefined {
    return this.#error?.code
  }

  /** Returns the record so far, or the final one once the response is over. */
  record({ hasEnded = false } = {}): RequestRecord {
    const error = this.#error
    const settlement = this.#bill?.settlement
    const times = this.#bill?.times()
    const {
      requestId,
      isStream,
      isAborted,
      isRoutine,
      accountId,
      keyId,
      callerRequestId,
      traceParent,
      model,
      endpoint,
    } = this
    return {
      ...{ requestId, isStream, isAborted, isRoutine, accountId, keyId, callerRequestId, traceParent, model, endpoint },
      state: hasEnded ? 'ended' : times?.runningMs === undefined ? 'waiting' : 'running',
      method: this.#method,
      path: this.#path,
      arrivedAtMs: this.#arrivedAtMs,
      durationMs: this.#clock() - this.#arrivedAtMs,
      status: hasEnded ? this.status : undefined,
      used: this.used,
      costNanoUsd: settlement?.costNanoUsd,
      finish: settlement?.finish,
      isEstimated: settlement?.isEstimated,
      ...times,
      code: this.errorCode,
      // Errors of clients need no stack.
      cause: error !== undefined && errorRule(error.kind).status >= 500 ? error : settlement?.excess,
    }
  }
}
