import { toApiError } from '../core/errors.ts'
import type { WorkEvent } from '../core/work.ts'
import type { AnswerEncoder, AnswerHead, AnswerPiece } from '../wire/dialect.ts'
import { answerBody } from './answer-body.ts'
import type { Exchange } from './exchange.ts'
import type { HttpConfig } from './http-config.ts'
import { withHint } from './own-commands.ts'
import type { RequestObserver } from './request-observer.ts'

/** Parts of the answered request that a stream uses. */
type StreamedExchange = Pick<Exchange, 'limitSilence' | 'outlive' | 'peerAddress'> & {
  readonly request: Pick<Request, 'signal' | 'headers'>
  readonly observer: Pick<RequestObserver, 'onEvent' | 'onError' | 'isAborted'>
  readonly services: { readonly config: Pick<HttpConfig, 'keepAliveMs' | 'host' | 'reach'> }
}

/**
 * Reads events up to the first one that has pieces, or the last one, and returns its pieces. Throws failures until
 * then.
 */
export async function firstPieces<Event extends WorkEvent>(
  events: AsyncGenerator<Event>,
  encoder: AnswerEncoder<Event>,
  observer: Pick<RequestObserver, 'onEvent'>,
): Promise<readonly AnswerPiece[]> {
  while (true) {
    const next = await events.next()
    if (next.done === true) throw new Error('the engine ended without a finish event: this is a bug')
    observer.onEvent(next.value)
    const pieces = encoder.push(next.value)
    if (pieces.length > 0 || next.value.type === 'finish') return pieces
  }
}

/**
 * Returns the body of an answer that is sent while it is made. `first` are its first pieces, possibly still awaited
 * during a load. `rest` is ended early when the client disconnects. A slow client delays the reading of events. A
 * failure becomes the last pieces or, in dialects without words for it, breaks the connection off.
 */
export function streamedAnswer<Event extends WorkEvent>(
  exchange: StreamedExchange,
  first: readonly AnswerPiece[] | Promise<readonly AnswerPiece[]>,
  rest: AsyncGenerator<Event>,
  encoder: AnswerEncoder<Event>,
): ReadableStream {
  const { request, observer, services } = exchange
  const { signal } = request
  return answerBody(exchange, {
    async write({ send, isIdle, breakOff }) {
      let isQuiet = false
      const sendNext = async (pieces: readonly AnswerPiece[]) => {
        if (pieces.length === 0) return
        isQuiet = false
        await send(pieces)
      }
      const keepAlive = () => (encoder.keepAlive === undefined ? [] : [encoder.keepAlive()])
      const timer = setInterval(() => {
        // A client that does not read needs no keep-alive frames.
        if (!isIdle()) return
        if (isQuiet) void sendNext(keepAlive())
        isQuiet = true
      }, services.config.keepAliveMs / 2)
      try {
        // The head of the answer is sent with the first piece.
        if (first instanceof Promise) await sendNext(keepAlive())
        await sendNext(await first)
        for await (const event of rest) {
          observer.onEvent(event)
          await sendNext(encoder.push(event))
          if (signal.aborted) break
        }
        if (signal.aborted) encoder.abandon?.()
        else await sendNext(encoder.end())
      } catch (error) {
        if (signal.aborted) {
          encoder.abandon?.()
          return
        }
        const shown = toApiError(error)
        observer.onError(shown)
        if (encoder.fail === undefined) breakOff()
        else await sendNext(encoder.fail(withHint(exchange, shown)))
      } finally {
        clearInterval(timer)
      }
    },
    end: async () => void (await rest.return(undefined)),
  })
}

/** Head of an event stream: no cache, no buffering by proxies. */
export const eventStreamHead: AnswerHead = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
}
