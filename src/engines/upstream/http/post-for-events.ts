import { EventReader } from './event-reader.ts'
import { UpstreamFailure } from './failure.ts'
import type { UpstreamRequest } from './request.ts'
import { type OpenAnswer, send } from './send.ts'

/** An answer of server-sent events. */
export interface EventAnswer {
  readonly headers: Headers
  /**
   * The `data` of each event, in order; those that arrived together come together, and no list is empty. Read them or return from
   * it: the connection is held until then. While nothing is read, the server is held back, and `idleMs` stands still.
   * Throws UpstreamFailure after all events that were whole, and the signal's reason.
   */
  readonly events: AsyncGenerator<readonly string[]>
}

/** Resolves when the head of a 2xx answer of type `text/event-stream` is there. Throws UpstreamFailure, and the signal's reason. */
export async function postForEvents(request: UpstreamRequest): Promise<EventAnswer> {
  const answer = await send('POST', request)
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new UpstreamFailure('not-events', 'the server does not answer with events')
  }
  return { headers: answer.headers, events: eventsOf(answer, request) }
}

async function* eventsOf(answer: OpenAnswer, { limits, signal }: UpstreamRequest): AsyncGenerator<readonly string[]> {
  const reader = new EventReader(limits)
  try {
    for await (const bytes of answer.body) {
      const events = reader.read(bytes)
      if (events.length > 0) yield events
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof UpstreamFailure) throw error
    throw new UpstreamFailure('cut', 'the connection ended before the answer did', { cause: error })
  }
  const last = reader.end()
  if (last.length > 0) yield last
}
