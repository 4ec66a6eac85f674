import type { AnswerPiece } from '../wire/dialect.ts'
import type { Exchange } from './exchange.ts'

interface BodySink {
  /** Sends pieces. Resolves once all of them are in the socket's own buffer or with the client. */
  send(pieces: readonly AnswerPiece[]): Promise<void>
  /** True while nothing is being sent. */
  isIdle(): boolean
  /** Cuts the connection after the last piece, so that no client takes the answer for a whole one. */
  breakOff(): void
}

interface BodyWriter {
  /** Resolves after the last piece. */
  write(sink: BodySink): Promise<void>
  /** Called once, also when nothing is ever written. */
  end(): Promise<void>
}

/**
 * Returns the body of an answer that continues after its handler. Nothing accumulates here: each piece waits for the
 * client.
 */
export function answerBody(
  { request: { signal }, observer, limitSilence, outlive }: BodyExchange,
  { write, end }: BodyWriter,
): ReadableStream {
  const endRequest = outlive()
  let isOver = false
  const endOnce = async () => {
    if (isOver) return
    isOver = true
    try {
      await end()
    } finally {
      observer.isAborted = signal.aborted
      endRequest()
    }
  }
  return new ReadableStream({
    type: 'direct',
    async pull(sink) {
      let isIdle = true
      let isBroken = false
      const breakOff = () => {
        isBroken = true
      }
      const send = async (pieces: readonly AnswerPiece[]) => {
        isIdle = false
        limitSilence(true)
        for (const piece of pieces) sink.write(piece)
        await sink.flush(true)
        isIdle = true
        limitSilence(false)
      }
      await write({ send, isIdle: () => isIdle, breakOff }).finally(endOnce)
      // The runtime then cuts the connection. It would print a reason if given one.
      if (isBroken) return Promise.reject()
      sink.close()
    },
    // When the client disconnects before the first byte, the body is never pulled.
    cancel: endOnce,
  })
}

type BodyExchange = Pick<Exchange, 'limitSilence' | 'outlive'> & {
  readonly request: Pick<Request, 'signal'>
  readonly observer: Pick<Exchange['observer'], 'isAborted'>
}
