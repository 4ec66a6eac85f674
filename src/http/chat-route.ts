import { toApiError } from '../core/errors.ts'
import { kindsOfWork } from '../core/work.ts'
import { type StartedChat, startChat } from '../inference/chat.ts'
import type { AnswerContext, ChatCall, ChatDialect } from '../wire/dialect.ts'
import { acceptCall, inTermsOf } from './accept-call.ts'
import { docsUrl } from './errors.ts'
import { isLoaded } from './is-loaded.ts'
import { joinInTurns } from './join-in-turns.ts'
import { jsonPieces } from './json-pieces.ts'
import { costHeaders, paymentOf } from './payment.ts'
import type { KeyHandler } from './route.ts'
import type { Exchange } from './services.ts'
import { eventStream, eventStreamHeaders } from './sse.ts'

/**
 * Serves one chat dialect. What can be refused, by this server or by the engine, is refused with a status, also when a
 * stream was asked for.
 */
export function chatRoute<Call extends ChatCall>(dialect: ChatDialect<Call>): KeyHandler {
  return async (exchange, holder) => {
    const { modelTypes: types } = kindsOfWork.chat
    const { call, resolved } = await acceptCall(exchange, holder, { reader: dialect, types })
    const { record, services } = exchange
    const modelId = resolved.entry.manifest.id
    const { pool } = services
    record.wasLoaded = isLoaded(pool, modelId)
    const payment = paymentOf(exchange, { ...holder, endpoint: dialect.endpoint })
    const chat = await inTermsOf(dialect, startChat({ request: call.request, resolved, pool, payment }))
    record.saw(chat.start)
    const context = answerContext(exchange, holder.accountId)
    const response = call.stream
      ? streamed(exchange, chat, dialect.encoder(call, context))
      : await inTermsOf(dialect, whole(exchange, chat, dialect.collector(call, context)))
    response.headers.set('x-model-canonical', modelId)
    for (const [name, value] of costHeaders(record.settlement)) response.headers.set(name, value)
    return response
  }
}

async function whole(
  { record }: Exchange,
  chat: StartedChat,
  collector: ReturnType<ChatDialect<ChatCall>['collector']>,
): Promise<Response> {
  collector.push(chat.start)
  for await (const event of chat.rest) {
    record.saw(event)
    collector.push(event)
  }
  const text = await joinInTurns(jsonPieces(collector.end()))
  return new Response(text, { headers: { 'content-type': 'application/json;charset=utf-8' } })
}

function streamed(
  { request, record, services, limitSilence }: Exchange,
  chat: StartedChat,
  encoder: ReturnType<ChatDialect<ChatCall>['encoder']>,
): Response {
  record.isStream = true
  const body = eventStream({
    ...chat,
    encoder,
    onEvent: (event) => record.saw(event),
    onWaiting: limitSilence,
    signal: request.signal,
    keepAliveMs: services.config.keepAliveMs,
    toError: (thrown) => {
      const error = toApiError(thrown)
      record.failed(error)
      return error
    },
    onEnd: () => {
      record.isAborted = request.signal.aborted
      record.end()
    },
  })
  return new Response(body, { headers: eventStreamHeaders })
}

function answerContext({ services, record, baseUrl }: Exchange, accountId: string): AnswerContext {
  const now = () => Math.floor(services.clock() / 1000)
  return {
    newId: services.newId,
    created: now(),
    now,
    fingerprint: `fp_inferd_${services.config.version}`,
    requestId: record.requestId,
    docsUrl: (code) => docsUrl(code, baseUrl),
    keepItem: (item) => services.recentItems.keep(accountId, item),
  }
}
