import { kindsOfWork, type Work } from '../core/work.ts'
import { computeTexts } from '../inference/texts.ts'
import type { TextsCall, TextsDialect } from '../wire/texts-dialect.ts'
import { acceptCall, withCallersParam } from './accept-call.ts'
import { isLoaded } from './is-loaded.ts'
import { joinInTurns } from './join-in-turns.ts'
import { costHeaders, paymentOf } from './payment.ts'
import type { KeyHandler } from './route.ts'

/** Serves embeddings or rerank: the whole answer at once, when it is paid for. */
export function textsRoute<Call extends TextsCall>(dialect: TextsDialect<Call>): KeyHandler {
  return async (exchange, holder) => {
    const types = kindsOfWork[dialect.kind].modelTypes
    const { call, resolved } = await acceptCall(exchange, holder, { reader: dialect, types })
    const { record, services } = exchange
    const { pool, newId } = services
    const modelId = resolved.entry.manifest.id
    record.wasLoaded = isLoaded(pool, modelId)
    const payment = paymentOf(exchange, { ...holder, endpoint: dialect.endpoint })
    const work = { kind: dialect.kind, request: call.request } as Work<'embed' | 'rerank'> // a dialect reads its own kind
    const computing = computeTexts({ work, resolved, pool, payment, onEvent: (event) => record.saw(event) })
    const { result, usage } = await withCallersParam((param) => dialect.toCallersParam(call, param), computing)
    const answer = await joinInTurns(dialect.toAnswer(call, { result, promptTokens: usage.promptTokens }, newId))
    const headers = { 'content-type': 'application/json;charset=utf-8', 'x-model-canonical': modelId }
    return new Response(answer, { headers: [...Object.entries(headers), ...costHeaders(record.settlement)] })
  }
}
