import { kindsOfWork } from '../core/work.ts'
import { countTokens } from '../inference/count-tokens.ts'
import type { CallReader, CountedCall } from '../wire/dialect.ts'
import { acceptCall, inTermsOf } from './accept-call.ts'
import { billingUrl } from './billing-url.ts'
import { isLoaded } from './is-loaded.ts'
import type { KeyHandler } from './route.ts'

/** Serves the counting of a dialect's prompts: needs a key and costs nothing. `toAnswer` makes the body of the answer. */
export function countRoute(reader: CallReader<CountedCall>, toAnswer: (tokens: number) => object): KeyHandler {
  return async (exchange, holder) => {
    const { modelTypes: types } = kindsOfWork.count
    const { call, resolved } = await acceptCall(exchange, holder, { reader, types, isFree: true })
    const { pool, till } = exchange.services
    const { id } = resolved.entry.manifest
    const counting = countTokens({
      request: call.request,
      resolved,
      payer: holder,
      till,
      isLoaded: isLoaded(pool, id),
      billingUrl: billingUrl(exchange.baseUrl),
      signal: exchange.request.signal,
      pool,
    })
    const answer = toAnswer(await inTermsOf(reader, counting))
    return Response.json(answer, { headers: { 'x-model-canonical': id } })
  }
}
