/** Long answers that are made page by page, such as lists of a million rows. */
import { setImmediate } from 'node:timers/promises'
import { toApiError } from '../core/errors.ts'
import { answerBody } from './answer-body.ts'
import type { Exchange } from './exchange.ts'

/** Rows of a page. Reading one holds up all other requests, with 1,000 for 20 ms. */
export const pageRows = 200

type PagedExchange = Pick<Exchange, 'limitSilence' | 'outlive'> & {
  readonly request: Pick<Request, 'signal'>
  readonly observer: Pick<Exchange['observer'], 'isAborted' | 'onError'>
}

/**
 * Sends pieces as the client takes them, and lets other requests go on after each: a client that reads fast would
 * otherwise keep them waiting until the end. Cuts the connection if the pieces fail.
 */
export function pagedAnswer(
  exchange: PagedExchange,
  pieces: AsyncIterable<string>,
  headers: Readonly<Record<string, string>>,
): Response {
  const body = answerBody(exchange, {
    async write({ send, breakOff }) {
      try {
        for await (const piece of pieces) {
          if (exchange.request.signal.aborted) return
          await send([piece])
          await setImmediate()
        }
      } catch (error) {
        exchange.observer.onError(toApiError(error))
        breakOff()
      }
    },
    end: async () => undefined,
  })
  return new Response(body, { headers })
}
