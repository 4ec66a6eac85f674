import { toApiError } from '../core/errors.ts'
import type { WorkEvent } from '../core/work.ts'
import type { StreamEncoder } from '../wire/dialect.ts'
import type { RequestRecord } from './request-record.ts'
import type { Exchange, HttpConfig } from './services.ts'

/** What a stream takes from the request that it answers. */
type StreamedExchange = Pick<Exchange, 'limitSilence' | 'outlive'> & {
  readonly request: Pick<Request, 'signal'>
  readonly record: Pick<RequestRecord, 'saw' | 'failed' | 'isAborted'>
  readonly services: { readonly config: Pick<HttpConfig, 'keepAliveMs'> }
}

/**
 * The body of a stream: `first` is the first of the events, there already or, where its model is still being loaded, on its way;
 * `rest` is ended early when the client disconnects. Frames are written as events come. A client that reads slower than the engine writes delays the reading of events, so that nothing accumulates
 * here beyond the socket's own buffer. A failure becomes a frame that ends the stream.
 */
export function eventStream<Event extends WorkEvent>(
  { request: { signal }, record, services, limitSilence, outlive }: StreamedExchange,
  first: IteratorResult<Event> | Promise<IteratorResult<Event>>,
  rest: AsyncGenerator<Event>,
  encoder: StreamEncoder<Event>,
): ReadableStream {
  const endRequest = outlive()
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    try {
      await rest.return(undefined)
    } finally {
      record.isAborted = signal.aborted
      endRequest()
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
        limitSilence(true)
        sink.write(frames.join(''))
        await sink.flush(true)
        isWaiting = false
        limitSilence(false)
      }
      const keepAlive = setInterval(() => {
        // A client that does not read needs no keep-alive frames.
        if (isWaiting) return
        if (isQuiet) void send([encoder.keepAlive()])
        isQuiet = true
      }, services.config.keepAliveMs / 2)
      try {
        // The head of the answer is sent with the first frame.
        if (first instanceof Promise) await send([encoder.keepAlive()])
        const started = await first
        if (started.done === true) throw new Error('the engine ended without an event: this is a bug')
        record.saw(started.value)
        await send(encoder.push(started.value))
        for await (const event of rest) {
          record.saw(event)
          await send(encoder.push(event))
          if (signal.aborted) break
        }
        if (signal.aborted) encoder.abandon?.()
        else await send(encoder.end())
      } catch (error) {
        if (signal.aborted) encoder.abandon?.()
        else {
          const shown = toApiError(error)
          record.failed(shown)
          await send(encoder.fail(shown))
        }
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
