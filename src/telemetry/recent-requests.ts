/** Requests to models for the operator: running ones, and the latest ended ones. */

import { errorText } from '../core/error-text.ts'
import type { RequestRecord } from '../core/request-record.ts'

const keptRequests = 1_000
const maximumCauseLength = 500

/** A request that runs. */
interface RunningRequest {
  readonly id: string
  /** Returns the record as it stands now. */
  record(): RequestRecord
  /** Ends the request as if the server stopped: it is not charged. */
  cancel(): void
}

/** Conditions that requests must meet. Absent ones do not count. */
interface RequestFilter {
  readonly model?: string | undefined
  readonly account?: string | undefined
  readonly key?: string | undefined
  readonly endpoint?: string | undefined
  /** First digit of the status: 2, 4 or 5. */
  readonly statusClass?: number | undefined
  readonly slowerThanMs?: number | undefined
}

export interface RecentPage {
  readonly filter?: RequestFilter | undefined
  readonly limit: number
  /** Id of a request. The page has older ones, or is empty if the id is no longer known. */
  readonly before?: string | undefined
}

export class RecentRequests {
  /** Start of this server in milliseconds UTC. Earlier requests are unknown. */
  readonly sinceMs: number
  readonly #running = new Map<string, RunningRequest>()
  /** Ended requests, as a ring: once it is full, the oldest is at `#next`. */
  readonly #ended: RequestRecord[] = []
  #next = 0
  readonly #listeners = new Set<(request: RequestRecord) => void>()
  readonly #endListeners: ((record: RequestRecord) => void)[] = []

  constructor(clock: () => number) {
    this.sinceMs = clock()
  }

  begin(request: RunningRequest): void {
    this.#running.set(request.id, request)
    this.#report(request)
  }

  /** Reports the first output of the request with this id. */
  hasOutput(id: string): void {
    const request = this.#running.get(id)
    if (request !== undefined) this.#report(request)
  }

  /** Keeps the record of an ended request. Ignores requests that are not to a model. */
  end(record: RequestRecord): void {
    if (record.endpoint === undefined) return
    this.#running.delete(record.requestId)
    const kept = withCauseText(record)
    this.#ended[this.#next] = kept
    this.#next = (this.#next + 1) % keptRequests
    for (const listener of this.#listeners) listener(kept)
    for (const listener of this.#endListeners) listener(record)
  }

  /** Calls the listener with the record of each request that ends, until the server stops. */
  onEnd(listener: (record: RequestRecord) => void): void {
    this.#endListeners.push(listener)
  }

  /** Cancels a request. Returns false if no running request has this id. */
  cancel(id: string): boolean {
    const request = this.#running.get(id)
    request?.cancel()
    return request !== undefined
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    let waiting = 0
    for (const request of this.#running.values()) if (request.record().state === 'waiting') waiting++
    return { running: this.#running.size - waiting, waiting }
  }

  /** Returns running requests, the latest first. */
  running({ filter = {}, limit, before }: RecentPage): readonly RequestRecord[] {
    const records = [...this.#running.values()].map((request) => withCauseText(request.record()))
    return pageOf(records.reverse(), { filter, limit, before })
  }

  /** Returns ended requests, the latest first. */
  recent({ filter = {}, limit, before }: RecentPage): readonly RequestRecord[] {
    const inOrder = [...this.#ended.slice(this.#next), ...this.#ended.slice(0, this.#next)]
    return pageOf(inOrder.reverse(), { filter, limit, before })
  }

  /** Calls back at each request's start, first output and end, until the returned function is called. */
  watch(listener: (request: RequestRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #report(request: RunningRequest): void {
    if (this.#listeners.size === 0) return
    const record = request.record()
    for (const listener of this.#listeners) listener(record)
  }
}

function withCauseText(record: RequestRecord): RequestRecord {
  return record.cause === undefined ? record : { ...record, cause: causeText(record.cause) }
}

/** Returns the shortened messages of the error and its causes. The log has its stack. */
function causeText(error: unknown): string {
  const texts: string[] = []
  for (
    let each = error;
    each !== undefined && texts.length < 4;
    each = each instanceof Error ? each.cause : undefined
  ) {
    texts.push(errorText(each))
  }
  return texts.join(': ').slice(0, maximumCauseLength)
}

function pageOf(latestFirst: readonly RequestRecord[], { filter = {}, limit, before }: RecentPage): RequestRecord[] {
  const last = before === undefined ? -1 : latestFirst.findIndex(({ requestId }) => requestId === before)
  if (before !== undefined && last === -1) return []
  return latestFirst
    .slice(last + 1)
    .filter((record) => fits(record, filter))
    .slice(0, limit)
}

function fits(record: RequestRecord, filter: RequestFilter): boolean {
  const { model, account, key, endpoint, statusClass, slowerThanMs } = filter
  const wanted = [
    [model, record.model],
    [account, record.accountId],
    [key, record.keyId],
    [endpoint, record.endpoint],
    [statusClass, Math.floor((record.status ?? 0) / 100)],
  ]
  return wanted.every(([want, has]) => want === undefined || want === has) && record.durationMs > (slowerThanMs ?? -1)
}
