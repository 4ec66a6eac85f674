/** The one way from a page to the server. */
import { connectionLost } from './connection.ts'
import { noConnection, toFailure } from './failure.ts'
import { notePayer, payer, payerHeader } from './payer.ts'
import { signInAgain } from './signed-out.ts'
import { noteVersion } from './version.ts'

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** True to give guests the failure `not_signed_in`. Otherwise the page asks for a sign-in and repeats the request. */
  readonly isForGuests?: boolean
}

/** Sends a request and reads its JSON. Rejects with RequestFailure, or with an AbortError when `signal` aborts. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await respond(path, options)
  try {
    return await response.json()
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw toFailure(response.status, response.headers, undefined)
  }
}

/** Sends a request whose answer is not JSON, such as a stream or audio. Returns only successful responses. */
export async function respond(path: string, options: RequestOptions = {}): Promise<Response> {
  for (;;) {
    const team = payer.value
    const response = await send(path, options, team)
    noteVersion(response)
    if (response.ok) return response
    const failure = toFailure(response.status, response.headers, await response.json().catch(() => undefined))
    notePayer(failure.facts, team)
    if (failure.facts.code !== 'not_signed_in' || options.isForGuests === true) throw failure
    await signInAgain()
  }
}

async function send(path: string, options: RequestOptions, team: string | undefined): Promise<Response> {
  const { method = 'GET', body, headers, signal } = options
  // The server accepts writes only as JSON, which other sites' forms cannot send.
  const json = body ?? (method === 'GET' ? undefined : {})
  try {
    return await fetch(path, {
      method,
      headers: {
        ...headers,
        ...payerHeader(path, team),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      body: json === undefined ? null : JSON.stringify(json),
      signal: signal ?? null,
      cache: 'no-store',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    connectionLost()
    throw noConnection()
  }
}
