/**
 * One kind of work at upstream servers: its expected consumption and its requests. Money, places, retries and
 * cancellation are common to all kinds: see `request-life.ts` and `ask-servers.ts`.
 */
import type { ModelManifest } from '../../../core/model.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { Consumption, StartEvent } from '../../../core/usage.ts'
import type { Work, WorkEvent, WorkKind } from '../../../core/work.ts'
import type { Estimate } from '../../protocol/request-events.ts'
import type { UpstreamRequest } from '../http/request.ts'
import type { ServerPath } from '../server-path.ts'

/** Facts about the model that a request is prepared with. */
export interface WorkContext {
  readonly manifest: ModelManifest
  readonly flavor: UpstreamFlavor
  /** Name of the model at the servers. */
  readonly modelThere: string
  /** Most tokens of a prompt and its answer, as far as the servers or the manifest tell. */
  readonly contextTokens: number
  /** Cache salt that is the same for all requests of one account and different for other accounts. */
  readonly cacheSalt: string
}

/**
 * Prepares a request. Throws ApiError if the servers cannot serve it. Pure and quick, because it runs in the server's
 * own thread.
 */
export type PrepareWork<Kind extends WorkKind> = (
  request: Work<Kind>['request'],
  context: WorkContext,
) => UpstreamWork<OutputOf<Kind>>

/** Events between `start` and `finish`. */
export type OutputOf<Kind extends WorkKind> = Exclude<WorkEvent<Kind>, { type: 'start' | 'finish' }>

export interface UpstreamWork<Output> {
  readonly estimate: Estimate
  /** Beginning of the prompt. Requests that share it go to the same server. */
  readonly prefix: string
  /**
   * Runs the granted work. Resolves when all of it is done; `finish` follows, with the last usage reported by
   * `link.used`. Rejects with ApiError or UpstreamFailure; the request's other calls are then aborted and nothing is
   * charged.
   */
  run(link: UpstreamLink<Output>): Promise<void>
}

/** Environment of a running request. Nothing here throws after the signal has aborted; later reports are ignored. */
export interface UpstreamLink<Output> {
  /** Most that may be consumed in total. More is never charged. */
  readonly granted: Consumption
  /** Aborts when the client disconnects, or when another call of the request fails. */
  readonly signal: AbortSignal
  /**
   * Makes one call at a server chosen by the link: runs `ask` with a place there. After a failure that a repetition
   * may avoid, runs `ask` again at another server, unless this call has emitted something. Calls may run in parallel,
   * each with a place.
   */
  call<Result>(ask: (endpoint: UpstreamEndpoint<Output>) => Promise<Result>): Promise<Result>
  /** Reports the total consumption so far. The last report is charged when the client disconnects. */
  used(used: Consumption, isEstimated?: boolean): void
  /**
   * Sends `start`; later calls are ignored. If never called, `start` precedes the first output, with the tokens used
   * by then.
   */
  started(prompt: Omit<StartEvent, 'type'>): void
}

/** Server at which a call has a place. */
export interface UpstreamEndpoint<Output> {
  /**
   * Returns the common part of requests to it: address, key, signal, limits. A path given as text is below the base
   * URL.
   */
  to(path: ServerPath | string): Pick<UpstreamRequest, 'url' | 'key' | 'headers' | 'signal' | 'limits'>
  /** Reports the first event of an answer, which may take minutes. */
  answered(): void
  /** Sends outputs to the client in order. Outputs that arrive together should be sent in one call. */
  emit(outputs: readonly Output[]): void
  /**
   * Resolves once the client keeps up, or when the signal aborts. Work with large output awaits it before reading on.
   */
  unpaused(): Promise<void>
  /** Aborts the signal after this time, because later data is not worth a longer wait. */
  endWithin(ms: number): void
}
