/** What the operator sees of requests to models: those that run, and the latest that have ended. Nothing of what was said. */
import type { RequestView } from '../core/live.ts'
import type { RequestLine } from './request-log.ts'

const keptRequests = 1_000
const maximumCauseLength = 500

/** A request that runs. */
export interface RunningRequest {
  readonly id: string
  /** As it stands now. */
  line(): RequestLine
  /** Ends it as if the server stopped: it is not charged. */
  cancel(): void
}

/** Which requests are wanted; what is left out is any. */
export interface RequestFilter {
  readonly model?: string | undefined
  readonly account?: string | undefined
  readonly key?: string | undefined
  readonly endpoint?: string | undefined
  /** First digit of the status: 2, 4 or 5. */
  readonly statusClass?: number | undefined
  readonly slowerThanMs?: number | undefined
}

export interface RequestPage {
  readonly filter?: RequestFilter | undefined
  readonly limit: number
  /** Id of a request: the page has those before it; none where it is not known any more. */
  readonly before?: string | undefined
}

export class RecentRequests {
  readonly #clock: () => number
  /** The requests of this server alone are known. Milliseconds UTC. */
  readonly sinceMs: number
  readonly #running = new Map<string, RunningRequest>()
  /** The oldest at `#next` once it is full. */
  readonly #ended: RequestView[] = []
  #next = 0
  readonly #listeners = new Set<(request: RequestView) => void>()
  readonly #endListeners: ((line: RequestLine) => void)[] = []

  constructor(clock: () => number) {
    this.#clock = clock
    this.sinceMs = clock()
  }

  begin(request: RunningRequest): void {
    this.#running.set(request.id, request)
    this.#tellOf(request)
  }

  /** The request with this id has its first output. */
  hasOutput(id: string): void {
    const request = this.#running.get(id)
    if (request !== undefined) this.#tellOf(request)
  }

  /** Takes the line of each request that ends; those that name no endpoint are no requests to models. */
  end(line: RequestLine): void {
    if (line.endpoint === undefined) return
    this.#running.delete(line.requestId)
    const view = this.#view(line, true)
    this.#ended[this.#next] = view
    this.#next = (this.#next + 1) % keptRequests
    this.#tell(view)
    for (const listener of this.#endListeners) listener(line)
  }

  /** Calls back with the line of each request that ends, for good. */
  onEnd(listener: (line: RequestLine) => void): void {
    this.#endListeners.push(listener)
  }

  /** False where no request with this id runs. */
  cancel(id: string): boolean {
    const request = this.#running.get(id)
    request?.cancel()
    return request !== undefined
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    let waiting = 0
    for (const request of this.#running.values()) if (request.line().runningMs === undefined) waiting++
    return { running: this.#running.size - waiting, waiting }
  }

  /** The latest first. */
  running({ filter = {}, limit, before }: RequestPage): readonly RequestView[] {
    const views = [...this.#running.values()].map((request) => this.#view(request.line(), false))
    return pageOf(views.reverse(), { filter, limit, before })
  }

  /** Those that ended, the latest first. */
  recent({ filter = {}, limit, before }: RequestPage): readonly RequestView[] {
    const inOrder = [...this.#ended.slice(this.#next), ...this.#ended.slice(0, this.#next)]
    return pageOf(inOrder.reverse(), { filter, limit, before })
  }

  /** Calls back at the beginning, the first output and the end of each request, until the function that it returns is called. */
  watch(listener: (request: RequestView) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tellOf(request: RunningRequest): void {
    if (this.#listeners.size > 0) this.#tell(this.#view(request.line(), false))
  }

  #tell(view: RequestView): void {
    for (const listener of this.#listeners) listener(view)
  }

  #view(line: RequestLine, hasEnded: boolean): RequestView {
    const { requestId, endpoint = '', durationMs, usage, cause, queuedMs, loadingMs, runningMs } = line
    const waitedMs = loadingMs ?? queuedMs
    return {
      id: requestId,
      state: hasEnded ? 'ended' : runningMs === undefined ? 'waiting' : 'running',
      endpoint,
      accountId: line.accountId,
      keyId: line.keyId,
      callerRequestId: line.callerRequestId,
      model: line.model,
      startedMs: Math.round(this.#clock() - durationMs),
      waitedMs: hasEnded || waitedMs !== undefined ? waitedMs : durationMs,
      firstOutputMs: line.firstOutputMs,
      durationMs,
      promptTokens: usage?.promptTokens,
      cachedTokens: usage?.cachedTokens,
      outputTokens: usage?.completionTokens,
      status: hasEnded ? line.status : undefined,
      isAborted: line.isAborted === true,
      code: line.code,
      finish: line.finish,
      costNanoUsd: line.costNanoUsd,
      isEstimated: line.isEstimated === true,
      cause: cause === undefined ? undefined : causeText(cause),
    }
  }
}

/** What the error says and why, without its stack: the log has that. */
function causeText(error: unknown): string {
  const texts: string[] = []
  for (
    let each = error;
    each !== undefined && texts.length < 4;
    each = each instanceof Error ? each.cause : undefined
  ) {
    texts.push(each instanceof Error ? each.message : String(each))
  }
  return texts.join(': ').slice(0, maximumCauseLength)
}

function pageOf(latestFirst: readonly RequestView[], { filter = {}, limit, before }: RequestPage): RequestView[] {
  const last = before === undefined ? -1 : latestFirst.findIndex(({ id }) => id === before)
  if (before !== undefined && last === -1) return []
  return latestFirst
    .slice(last + 1)
    .filter((view) => fits(view, filter))
    .slice(0, limit)
}

function fits(view: RequestView, filter: RequestFilter): boolean {
  const { model, account, key, endpoint, statusClass, slowerThanMs } = filter
  const wanted = [
    [model, view.model],
    [account, view.accountId],
    [key, view.keyId],
    [endpoint, view.endpoint],
    [statusClass, Math.floor((view.status ?? 0) / 100)],
  ]
  return wanted.every(([want, has]) => want === undefined || want === has) && view.durationMs > (slowerThanMs ?? -1)
}
