import type { Pricing } from './model.ts'
import type { Consumption } from './usage.ts'

/** Stage of a request. `waiting`: for its model, or for its place in the engine. */
type RequestState = 'waiting' | 'running' | 'ended'

/**
 * End of a paid request. `length`: at its own limit, the model's or the context's. `repetition`: it only repeated itself.
 * `out_of_balance`: the account could not pay for more. `client_disconnect`: charged for what was computed until then.
 * `failed`: the server is at fault, and nothing is charged.
 */
export type RequestFinish =
  | 'stop'
  | 'length'
  | 'repetition'
  | 'tool_calls'
  | 'out_of_balance'
  | 'client_disconnect'
  | 'failed'

/**
 * One request to this server: who sent it, how long it took, what it used and cost, and how it ended. It holds no text of
 * prompts or answers. Log lines, pages, operations and metrics are projections of it. Durations are milliseconds.
 */
export interface RequestRecord {
  readonly requestId: string
  readonly state: RequestState
  /** Time of arrival, milliseconds UTC. */
  readonly arrivedAtMs: number
  /** HTTP method. Undefined for records that were read from the usage table. */
  readonly method?: string | undefined
  /** Path without its query string. Undefined for records that were read from the usage table. */
  readonly path?: string | undefined
  /** HTTP status. Undefined until the request has ended, and for records that were read from the usage table. */
  readonly status?: number | undefined
  /** Time from arrival to end, or until now while the request runs. */
  readonly durationMs: number
  readonly accountId?: string | undefined
  readonly keyId?: string | undefined
  /** The caller's own id of the request. An inferd server in front sends one. */
  readonly callerRequestId?: string | undefined
  /** Canonical id. */
  readonly model?: string | undefined
  /** Path of the endpoint below /v1. Undefined for requests that are not to a model. */
  readonly endpoint?: string | undefined
  /** Time from arrival to the engine's acceptance, where the model was loaded already. */
  readonly queuedMs?: number | undefined
  /** Time of loading the model, if it had to be loaded first. */
  readonly loadingMs?: number | undefined
  /** Time from the engine's acceptance to the end, or until now. Undefined before the acceptance. */
  readonly runningMs?: number | undefined
  /** Time from arrival to the first output. Undefined for answers that are sent in one piece. */
  readonly firstOutputMs?: number | undefined
  /** Undefined until the engine has counted the prompt, and for free work. */
  readonly used?: Consumption | undefined
  /** `used` was estimated, since no engine counted it. */
  readonly isEstimated?: boolean | undefined
  /** Price of `used`, also for unmetered accounts. Undefined until the settlement. */
  readonly costNanoUsd?: number | undefined
  readonly finish?: RequestFinish | undefined
  /** Error code of the contract, also for a stream that failed after its status was sent. */
  readonly code?: string | undefined
  readonly isStream?: boolean | undefined
  /** The client disconnected before the end. */
  readonly isAborted?: boolean | undefined
  /** A health check, a page or a file of the pages: frequent, and worth a log line only when it fails. */
  readonly isRoutine?: boolean | undefined
  /** Private reason of a failure. */
  readonly cause?: unknown
}

/** Record of a paid request that has ended, as it is settled. */
export interface PaidRequestRecord extends RequestRecord {
  readonly accountId: string
  readonly keyId: string
  readonly endpoint: string
  readonly model: string
  readonly used: Consumption
  readonly isEstimated: boolean
  /** Prices that were applied. */
  readonly pricing: Pricing
  readonly costNanoUsd: number
  /** Amount taken from the balance: the cost, or 0 for unmetered accounts and failed requests. */
  readonly chargedNanoUsd: number
  /** A hold was taken. False for unmetered accounts. */
  readonly isMetered: boolean
  /** Amount held at the end. Undefined for unmetered accounts. */
  readonly heldNanoUsd?: number | undefined
  readonly finish: RequestFinish
}

/** Paid request as it is read from the usage table. */
export interface StoredRequestRecord extends PaidRequestRecord {
  readonly keyName: string | undefined
  /** Time of the settlement, milliseconds UTC. */
  readonly createdMs: number
}

/** Returns the time from arrival until the engine accepted the request, or until now while it waits. */
export function waitedMs({ state, durationMs, queuedMs, loadingMs }: RequestRecord): number | undefined {
  return loadingMs ?? queuedMs ?? (state === 'waiting' ? durationMs : undefined)
}
