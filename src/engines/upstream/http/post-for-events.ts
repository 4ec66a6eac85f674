import { setImmediate } from 'node:timers/promises'
import { EventReader } from './event-reader.ts'
import type { Exchange } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import { beginningOf, type OpenAnswer, openAnswer } from './open-answer.ts'
import type { UpstreamRequest } from './request.ts'

/** Most events returned together, so that the first ones do not wait for the last. */
const togetherLimit = 1_000

/** Answer of server-sent events. */
export interface EventAnswer {
  readonly headers: Headers
  /**
   * Data of each event, in order. Events that arrived together come in one list; no list is empty. While nothing is
   * read, the connection is paused and the idle time stands still. Throws UpstreamFailure after all complete events,
   * and the signal's reason.
   */
  readonly events: AsyncGenerator<readonly string[]>
  /** Closes the connection before all events are read. Leaving a loop over the events does the same. */
  readonly close: () => void
}

/** Resolves at the head of a 2xx answer of type `text/event-stream`. Throws UpstreamFailure and the signal's reason. */
export async function postForEvents(request: UpstreamRequest): Promise<EventAnswer> {
  const answer = await openAnswer('POST', { ...request, headers: { accept: 'text/event-stream', ...request.headers } })
  const { headers, exchange } = answer
  const close = () => exchange.close()
  if (isOfEvents(headers)) return { headers, events: eventsOf(answer, request), close }
  try {
    const detail = await beginningOf(answer, request)
    throw new UpstreamFailure('not-events', 'the server does not answer with events', { detail })
  } finally {
    close()
  }
}

function isOfEvents(headers: Headers): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(headers.get('content-type') ?? '')
}

async function* eventsOf({ exchange }: OpenAnswer, { limits }: UpstreamRequest): AsyncGenerator<readonly string[]> {
  const reader = new EventReader(limits)
  try {
    for (;;) {
      const { events, isLast } = await exchange.within(() => nextEvents(exchange, reader))
      if (events.length > 0) {
        exchange.noteLife()
        yield events.slice(0, togetherLimit)
      }
      for (let from = togetherLimit; from < events.length; from += togetherLimit) {
        await setImmediate()
        yield events.slice(from, from + togetherLimit)
      }
      if (reader.failure !== undefined) throw reader.failure
      if (isLast) return
    }
  } finally {
    exchange.close()
  }
}

/** Reads until there is an event, or no more can come. */
async function nextEvents(
  exchange: Exchange,
  reader: EventReader,
): Promise<{ readonly events: readonly string[]; readonly isLast: boolean }> {
  for (;;) {
    const pieces = await exchange.take()
    if (pieces === undefined) return { events: reader.end(), isLast: true }
    const events = pieces.flatMap((piece) => reader.read(piece))
    if (events.length > 0 || reader.failure !== undefined) return { events, isLast: false }
  }
}
