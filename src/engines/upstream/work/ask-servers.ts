/** Makes one call at one of a model's servers, and at another one if the first fails. */
import type { Clock } from '../../../core/clock.ts'
import type { EndpointPlace, Endpoints } from '../endpoints/endpoints.ts'
import { UpstreamFailure } from '../http/failure.ts'
import type { HttpLimits } from '../http/request.ts'
import { urlOf } from '../server-path.ts'
import { failureRule } from './failures.ts'
import type { UpstreamEndpoint } from './upstream-work.ts'

/** Servers of a loaded model, as used by its requests. */
export interface AskedServers {
  readonly endpoints: Pick<Endpoints, 'take'>
  readonly key: string | undefined
  readonly limits: HttpLimits
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly clock: Clock
  /** Returns whether the request caused the failure, which is then neither logged nor counted against the endpoint. */
  readonly isClientFault: (failure: UpstreamFailure) => boolean
  /** Called when a server failed or refused; `url` is its endpoint. */
  readonly onFailure: (failure: UpstreamFailure, url: string) => void
}

interface Call<Output, Result> {
  readonly accountId: string
  readonly prefix: string
  readonly servers: AskedServers
  readonly signal: AbortSignal
  readonly ask: (endpoint: UpstreamEndpoint<Output>) => Promise<Result>
  readonly emit: (outputs: readonly Output[]) => void
  readonly unpaused: () => Promise<void>
}

/** Statuses of a server that may not accept the key or not serve the model. */
const doubtful: readonly (number | undefined)[] = [401, 403, 404]

/** Most servers tried after the first. */
const otherServers = 2

/**
 * Makes a call. Rejects with the last server's failure, or with ApiError if there is no place. Releases its places in
 * any case.
 */
export async function askServers<Output, Result>(call: Call<Output, Result>): Promise<Result> {
  const { accountId, prefix, servers, signal, ask } = call
  const tried = new Set<string>()
  let failure: unknown
  for (;;) {
    const place = await servers.endpoints
      .take({ accountId, prefix, without: tried, signal })
      .catch((error: unknown) => {
        throw failure === undefined || signal.aborted ? error : failure
      })
    const attempt = beginAttempt(call, place)
    try {
      const result = await ask(attempt.endpoint)
      attempt.end('served')
      return result
    } catch (error) {
      const rule = signal.aborted ? undefined : failureRule(error)
      const isFailure = rule !== undefined && error instanceof UpstreamFailure && !servers.isClientFault(error)
      attempt.end(isFailure ? rule.outcome : 'neutral', error instanceof Error ? error.message : undefined)
      if (isFailure) {
        if (doubtful.includes(error.status)) place.doubt()
        servers.onFailure(error, place.url)
      }
      if (rule?.movesOn !== true || attempt.hasEmitted || tried.size === otherServers) throw error
      tried.add(place.url)
      failure = error
    }
  }
}

/** Begins a call at one server with a separate time limit. `end` releases the place. */
function beginAttempt<Output>({ servers, signal, emit, unpaused }: Call<Output, unknown>, place: EndpointPlace) {
  const ending = new AbortController()
  const abort = () => ending.abort(signal.reason)
  let cancelTimer = () => {}
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  const endpoint: UpstreamEndpoint<Output> = {
    to: (path) => ({
      url: urlOf(place.url, typeof path === 'string' ? { path } : path),
      key: servers.key,
      headers: servers.headers,
      signal: ending.signal,
      limits: servers.limits,
    }),
    answered: () => place.answered(),
    emit: (outputs) => {
      attempt.hasEmitted = true
      emit(outputs)
    },
    unpaused,
    endWithin: (ms) => {
      cancelTimer()
      cancelTimer = servers.clock.after(ms, () => ending.abort(new Error('nothing more is waited for')))
    },
  }
  const attempt = {
    endpoint,
    hasEmitted: false,
    end(...release: Parameters<EndpointPlace['release']>): void {
      signal.removeEventListener('abort', abort)
      cancelTimer()
      place.release(...release)
    },
  }
  return attempt
}
