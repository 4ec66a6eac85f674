import type { ChatRequest } from '../core/chat.ts'
import { chatTypes } from '../inference/chat.ts'
import { countTokens } from '../inference/count-tokens.ts'
import type { CallReader } from '../wire/dialect.ts'
import { acceptCall, inTermsOf } from './accept-call.ts'
import type { Handler } from './services.ts'

/** Serves the counting of a dialect's prompts: needs a key and costs nothing. `toAnswer` makes the body of the answer. */
export function countRoute(
  reader: CallReader<{ readonly request: ChatRequest }>,
  toAnswer: (tokens: number) => object,
): Handler {
  return async (exchange) => {
    const { call, resolved, accountId } = await acceptCall(exchange, reader, { types: chatTypes, isFree: true })
    const { signal } = exchange.request
    const { pool } = exchange.services
    const counting = countTokens({ request: call.request, resolved, accountId, signal, pool })
    const answer = toAnswer(await inTermsOf(reader, counting))
    return Response.json(answer, { headers: { 'x-model-canonical': resolved.entry.manifest.id } })
  }
}
