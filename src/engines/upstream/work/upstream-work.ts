/**
 * One kind of work at upstream servers: what it will consume, and how servers are asked for it. Money, places, retries and
 * cancellation are the same for all kinds: `request-life.ts` and `ask-servers.ts` do them.
 */
import type { ModelManifest } from '../../../core/model.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import type { Consumption, StartEvent } from '../../../core/usage.ts'
import type { Work, WorkEvent, WorkKind } from '../../../core/work.ts'
import type { Estimate } from '../../protocol.ts'
import type { UpstreamRequest } from '../http/request.ts'
import type { ServerPath } from '../server-path.ts'

/** The model that a request is for. */
export interface WorkContext {
  readonly manifest: ModelManifest
  readonly flavor: UpstreamFlavor
  /** The model's name at the servers. */
  readonly modelThere: string
  /** Prompt and answer of one request, as far as the servers or the manifest tell. */
  readonly contextTokens: number
  /** The same for all requests of one account, and for no other's. */
  readonly cacheSalt: string
}

/** Throws ApiError for what the servers cannot do. Pure and quick: it runs in the server's own thread. */
export type PrepareWork<Kind extends WorkKind> = (
  request: Work<Kind>['request'],
  context: WorkContext,
) => UpstreamWork<OutputOf<Kind>>

/** What comes between `start` and `finish`. */
export type OutputOf<Kind extends WorkKind> = Exclude<WorkEvent<Kind>, { type: 'start' | 'finish' }>

export interface UpstreamWork<Output> {
  readonly estimate: Estimate
  /** Beginning of the prompt: requests that share it go to the same server. */
  readonly prefix: string
  /**
   * Runs what was granted. Resolves when all of it is done: `finish` follows, with what was said last by `link.used`. Rejects with
   * ApiError or UpstreamFailure: the other calls of the request are then aborted, and nothing of it is charged.
   */
  run(link: UpstreamLink<Output>): Promise<void>
}

/** What a running request works with. Nothing here throws after the signal has aborted; what is reported then is dropped. */
export interface UpstreamLink<Output> {
  /** What may be consumed in all. More is never charged. */
  readonly granted: Consumption
  /** Aborts when the client disconnects, or when another call of the request has failed. */
  readonly signal: AbortSignal
  /**
   * One call at a server of the link's choosing: `ask` runs with a place there. When it fails in a way that another server, or the same
   * one, may not, and nothing was emitted by this call, `ask` runs again elsewhere. Calls may run side by side, each with a place.
   */
  call<Result>(ask: (endpoint: UpstreamEndpoint<Output>) => Promise<Result>): Promise<Result>
  /** What has been consumed so far, in all, not since the last time. What was said last is charged when the client disconnects. */
  used(used: Consumption, isEstimated?: boolean): void
  /** `start`, once; later ones are dropped. Without it, `start` goes before the first output, with the tokens that are used by then. */
  started(prompt: Omit<StartEvent, 'type'>): void
}

/** A server that one call has a place at. */
export interface UpstreamEndpoint<Output> {
  /** What every request to it has: the address, the key, the signal, the limits. A path alone is below the base URL. */
  to(path: ServerPath | string): Pick<UpstreamRequest, 'url' | 'key' | 'headers' | 'signal' | 'limits'>
  /** The first event came: said where the whole answer may take minutes. */
  answered(): void
  /** Sends outputs to the client, in order. Those that arrive together belong into one call. */
  emit(outputs: readonly Output[]): void
  /** Await it before reading on, for work whose output is large: resolves while the client keeps up, and when the signal aborts. */
  unpaused(): Promise<void>
  /** The signal aborts after that time: what may still come is not worth a longer wait. */
  endWithin(ms: number): void
}
