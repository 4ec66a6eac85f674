/** Calls of the API by commands, with the key of this machine. */
import { EventReader } from '../engines/upstream/http/event-reader.ts'
import { CommandError, tryLaterExitCode } from './io.ts'

export interface ApiClient {
  /** Sends a body as JSON, or a form. Resolves at the head of a successful answer. Throws CommandError. */
  post(path: string, body: object | FormData, signal: AbortSignal): Promise<Response>
}

interface ClientOptions {
  /** Address without a path. */
  readonly url: string
  readonly key: string
  /** Returns another key once if the server refuses the first one. */
  readonly renewKey: () => Promise<string>
}

export function apiClient({ url, key: firstKey, renewKey }: ClientOptions): ApiClient {
  let key = firstKey
  const send = async (path: string, body: object | FormData, signal: AbortSignal) => {
    const isForm = body instanceof FormData
    const headers = {
      authorization: `Bearer ${key}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    }
    // Long prompts and loads take minutes before the first byte.
    const init = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body), signal, timeout: false }
    try {
      return await fetch(`${url}/v1${path}`, init)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw brokenOff(error)
    }
  }
  return {
    async post(path, body, signal) {
      let response = await send(path, body, signal)
      if (response.status === 401) {
        await response.body?.cancel()
        key = await renewKey()
        response = await send(path, body, signal)
      }
      if (!response.ok) throw await refusal(response)
      return response
    },
  }
}

function brokenOff(error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CommandError(`the server broke off: ${reason}; 'inferd logs' may say why`, { exitCode: tryLaterExitCode })
}

/** Statuses of a server that may answer later. */
const laterStatuses = new Set([429, 502, 503, 504])

async function refusal(response: Response): Promise<CommandError> {
  const body: unknown = await response.json().catch(() => undefined)
  const exitCode = laterStatuses.has(response.status) ? tryLaterExitCode : 1
  return new CommandError(messageOf(body) ?? `the server answers with status ${response.status}`, { exitCode })
}

/** Returns the message of an error body in the API's form. */
export function messageOf(body: unknown): string | undefined {
  const { error } = Object(body) as { readonly error?: unknown }
  const { message } = Object(error) as { readonly message?: unknown }
  return typeof message === 'string' ? message.replace(/\.$/, '') : undefined
}

/** Limits of one event: an answer's event is short, except for an error with a long message. */
const eventLimits = { lineBytes: 16_000_000, eventBytes: 16_000_000, gapBytes: 16_000_000 }

/** Yields the JSON values of a streamed answer. Throws CommandError for an error within the stream. */
export async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  const reader = new EventReader(eventLimits)
  for await (const bytes of response.body ?? []) yield* valuesOf(reader.read(bytes))
  yield* valuesOf(reader.end())
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
