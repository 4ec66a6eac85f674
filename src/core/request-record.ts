import type { Pricing } from './model.ts'
import type { Consumption } from './usage.ts'

/** Stage of a request. `waiting`: it waits for its model, or for a place in the engine. */
type RequestState = 'waiting' | 'running' | 'ended'

/**
 * End of a paid request. `length`: it reached its own limit, the model's or the context's. `repetition`: the answer
 * only repeated itself. `out_of_balance`: the account could not pay for more. `out_of_budget`: a budget allowed no more.
 * `client_disconnect`: the client left, and what was computed until then is charged. `failed`: the server is at fault, and nothing is charged.
 */
export type RequestFinish =
  | 'stop'
  | 'length'
  | 'repetition'
  | 'tool_calls'
  | 'out_of_balance'
  | 'out_of_budget'
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
  /** The caller's W3C `traceparent`. */
  readonly traceParent?: string | undefined
  /** Canonical id. */
  readonly model?: string | undefined
  /** Path of the endpoint below /v1. Undefined for requests that are not to a model. */
  readonly endpoint?: string | undefined
  /** Time from arrival to the engine's acceptance, if the model was loaded on arrival. */
  readonly queuedMs?: number | undefined
  /** Time from arrival to the engine's acceptance, if the model had to be loaded first. */
  readonly loadingMs?: number | undefined
  /** Time from the engine's acceptance to the end, or until now. Undefined before the acceptance. */
  readonly runningMs?: number | undefined
  /** Time from arrival to the first output. Undefined for answers that are sent in one piece. */
  readonly firstOutputMs?: number | undefined
  /** Usage so far. Undefined until the engine has counted the prompt, and for free work. */
  readonly used?: Consumption | undefined
  /** True if `used` was estimated, because no engine counted it. */
  readonly isEstimated?: boolean | undefined
  /** Price of `used`, also for unmetered accounts. Undefined until the settlement. */
  readonly costNanoUsd?: number | undefined
  readonly finish?: RequestFinish | undefined
  /** Error code of the API. Also set if a stream failed after its status was sent. */
  readonly code?: string | undefined
  readonly isStream?: boolean | undefined
  /** True if the client disconnected before the end. */
  readonly isAborted?: boolean | undefined
  /** True for health checks, pages and their files, which are frequent and only logged if they fail. */
  readonly isRoutine?: boolean | undefined
  /** Internal reason of a failure, never sent to clients. */
  readonly cause?: unknown
}

/** Record of an ended paid request, for its settlement. */
export interface PaidRequestRecord extends RequestRecord {
  readonly accountId: string
  readonly keyId: string
  /** Member who uses a team's key. */
  readonly holderId?: string | undefined
  readonly endpoint: string
  readonly model: string
  readonly used: Consumption
  readonly isEstimated: boolean
  /** Prices that the cost was computed from. */
  readonly pricing: Pricing
  readonly costNanoUsd: number
  /** Amount taken from the balance: the cost, or 0 for unmetered accounts and failed requests. */
  readonly chargedNanoUsd: number
  /** True if the balance paid. False for unmetered accounts. */
  readonly isMetered: boolean
  /** True if money of the balance or of a budget was held. Defaults to `isMetered`. */
  readonly isHeld?: boolean | undefined
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
