import type { ApiError } from '../core/errors.ts'
import type { WorkEvent } from '../core/work.ts'
import type { StreamEncoder } from '../wire/dialect.ts'

export interface EventStreamOptions<Event extends WorkEvent> {
  /** The first event, which is there already. */
  readonly first: Event
  /** The other events. Ended early when the client disconnects. */
  readonly rest: AsyncGenerator<Event>
  readonly encoder: StreamEncoder<Event>
  /** Called with each event of `rest` before it is written. */
  readonly onEvent: (event: Event) => void
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Called when bytes begin or cease to wait for the client to read them. */
  readonly onWaiting: (isWaiting: boolean) => void
  /** A keep-alive frame is sent before the stream is silent for this long. */
  readonly keepAliveMs: number
  /** Turns a failure after the start into the error that the client is sent; the stream then ends. */
  readonly toError: (thrown: unknown) => ApiError
  /** Called exactly once, when the stream ends for whatever reason. */
  readonly onEnd: () => void
}

/**
 * The body of a started stream. Frames are written as events come. A client that reads slower than the engine writes delays
 * the reading of events, so that nothing accumulates here beyond the socket's own buffer.
 */
export function eventStream<Event extends WorkEvent>(options: EventStreamOptions<Event>): ReadableStream {
  const { first, rest, encoder, onEvent, onWaiting, signal, keepAliveMs, toError, onEnd } = options
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    try {
      await rest.return(undefined)
    } finally {
      onEnd()
    }
  }
  return new ReadableStream({
    type: 'direct',
    async pull(sink) {
      let isQuiet = false
      let isWaiting = false
      const send = async (frames: readonly string[]) => {
        if (frames.length === 0) return
        isQuiet = false
        isWaiting = true
        onWaiting(true)
        sink.write(frames.join(''))
        await sink.flush(true)
        isWaiting = false
        onWaiting(false)
      }
      const keepAlive = setInterval(() => {
        // A client that does not read needs no keep-alive frames.
        if (isWaiting) return
        if (isQuiet) void send([encoder.keepAlive()])
        isQuiet = true
      }, keepAliveMs / 2)
      try {
        await send(encoder.push(first))
        for await (const event of rest) {
          onEvent(event)
          await send(encoder.push(event))
          if (signal.aborted) break
        }
        if (signal.aborted) encoder.abandon?.()
        else await send(encoder.end())
      } catch (error) {
        if (signal.aborted) encoder.abandon?.()
        else await send(encoder.fail(toError(error)))
      } finally {
        clearInterval(keepAlive)
        await end()
      }
      sink.close()
    },
    // When the client disconnects before the first byte, the body is never pulled.
    cancel: end,
  })
}

/** Headers of every event stream: no cache, no buffering by proxies. */
export const eventStreamHeaders = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['x-accel-buffering', 'no'],
] as const
