/** Calls of the API by commands. */
import { EventReader } from '../engines/upstream/http/event-reader.ts'
import { CommandError, tryLaterExitCode } from './io.ts'

/** All methods throw CommandError: a refusal of the server, or `BrokenOff`. */
export interface ApiClient {
  /** Sends a body as JSON, or a form. Resolves at the head of a successful answer. */
  post(path: string, body: object | FormData, signal: AbortSignal): Promise<ApiAnswer>
  get(path: string, signal: AbortSignal): Promise<ApiAnswer>
}

/** Server and key of an API client. */
export interface Connection {
  /** Address without a path. */
  readonly url: string
  readonly key: string
  /** True for a server of this machine, which no proxy reaches. */
  readonly isHere: boolean
}

interface ClientOptions {
  /** Returns the server to use. Called before the first request, and again after the server has gone. */
  readonly connect: () => Promise<Connection>
  /** Returns another key once if the server refuses the first one. Undefined if there is no other. */
  readonly renewKey?: () => Promise<string>
}

/** Error of a connection that ended before the answer did. */
export class BrokenOff extends CommandError {
  constructor(error: unknown) {
    const reason = error instanceof Error ? error.message : String(error)
    super(`the server broke off: ${reason}; 'inferd logs' may say why`, { exitCode: tryLaterExitCode })
  }
}

/** Options for a server of this machine, whose address its socket told, but whose certificate may name another host */
const ownServer = { proxy: false, tls: { rejectUnauthorized: false } } as const

export function apiClient({ connect, renewKey }: ClientOptions): ApiClient {
  let connection: Connection | undefined
  const send = async (path: string, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    connection ??= await connect()
    const headers = { ...init.headers, authorization: `Bearer ${connection.key}` }
    // Long prompts and loads take minutes before the first byte.
    const whole = { ...init, headers, signal, timeout: false, ...(connection.isHere && ownServer) }
    return fetch(`${connection.url}/v1${path}`, whole).catch((error: unknown) => {
      connection = undefined
      throw signal.aborted ? signal.reason : new BrokenOff(error)
    })
  }
  const call = async (path: string, init: RequestInit, signal: AbortSignal): Promise<ApiAnswer> => {
    let response = await send(path, init, signal).catch((error: unknown) => {
      // The server may have been stopped meanwhile, and another one may have taken its place.
      if (error instanceof BrokenOff) return send(path, init, signal)
      throw error
    })
    if (response.status === 401 && renewKey !== undefined && connection !== undefined) {
      await response.body?.cancel()
      connection = { ...connection, key: await renewKey() }
      response = await send(path, init, signal)
    }
    if (!response.ok) throw await refusal(response)
    return new ApiAnswer(response, signal)
  }
  return {
    get: (path, signal) => call(path, { method: 'GET' }, signal),
    post: (path, body, signal) => {
      if (body instanceof FormData) return call(path, { method: 'POST', body }, signal)
      const headers = { 'content-type': 'application/json' }
      return call(path, { method: 'POST', headers, body: JSON.stringify(body) }, signal)
    },
  }
}

/** Statuses of a server that may answer later. */
const laterStatuses = new Set([429, 502, 503, 504])

async function refusal(response: Response): Promise<CommandError> {
  const body: unknown = await response.json().catch(() => undefined)
  const exitCode = laterStatuses.has(response.status) ? tryLaterExitCode : 1
  return new CommandError(messageOf(body) ?? `the server answers with status ${response.status}`, { exitCode })
}

/** Returns the message of an error body in the API's form. */
function messageOf(body: unknown): string | undefined {
  const { error } = Object(body) as { readonly error?: unknown }
  const { message } = Object(error) as { readonly message?: unknown }
  return typeof message === 'string' ? message.replace(/\.$/, '') : undefined
}

/** Limits of one event: an answer's event is short, except for an error with a long message. */
const eventLimits = { lineBytes: 16_000_000, eventBytes: 16_000_000, gapBytes: 16_000_000 }

/** Successful answer whose body may still be on its way. */
export class ApiAnswer {
  readonly #response: Response
  readonly #signal: AbortSignal

  constructor(response: Response, signal: AbortSignal) {
    this.#response = response
    this.#signal = signal
  }

  text(): Promise<string> {
    return this.#response.text().catch((error: unknown) => this.#fail(error))
  }

  bytes(): Promise<Uint8Array> {
    return this.#response.bytes().catch((error: unknown) => this.#fail(error))
  }

  /** Returns JSON in the server's documented form. */
  async json<Form>(): Promise<Form> {
    return JSON.parse(await this.text()) as Form
  }

  /** Yields the JSON values of a streamed answer. Throws CommandError for an error within the stream. */
  async *events(): AsyncGenerator<unknown> {
    const reader = new EventReader(eventLimits)
    let isWhole = false
    const pieces = this.#response.body?.getReader()
    while (pieces !== undefined) {
      const { value, done } = await pieces.read().catch((error: unknown) => this.#fail(error))
      const events = value === undefined ? reader.end() : reader.read(value)
      isWhole ||= events.includes('[DONE]')
      yield* valuesOf(events)
      if (done) break
    }
    if (!isWhole) this.#fail(new Error('the answer has no end'))
  }

  #fail(error: unknown): never {
    throw this.#signal.aborted ? this.#signal.reason : new BrokenOff(error)
  }
}

function* valuesOf(events: readonly string[]): Generator<unknown> {
  for (const data of events) {
    if (data === '[DONE]') continue
    const value: unknown = JSON.parse(data)
    const message = messageOf(value)
    if (message !== undefined) throw new CommandError(message)
    yield value
  }
}
