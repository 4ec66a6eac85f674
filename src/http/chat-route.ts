import { toApiError } from '../core/errors.ts'
import { chatTypes, type StartedChat, startChat } from '../inference/chat.ts'
import { findModel, requireType } from '../inference/resolve-model.ts'
import type { AnswerContext, ChatCall, ChatDialect } from '../wire/dialect.ts'
import { authenticate } from './authenticate.ts'
import { docsUrl } from './errors.ts'
import { readJson } from './read-json.ts'
import type { Exchange, Handler } from './services.ts'
import { speaksMessages } from './speaks-messages.ts'
import { eventStream, eventStreamHeaders } from './sse.ts'

/**
 * Serves one chat dialect. Checks in this order: key, JSON, model, its type, the other fields, the engine. What can be
 * refused is refused with a status, also when a stream was asked for.
 */
export function chatRoute<Call extends ChatCall>(dialect: ChatDialect<Call>): Handler {
  return async (exchange) => {
    const { request, record, services } = exchange
    const { accountId, keyId } = authenticate(request.headers, services.keys, {
      acceptsApiKeyHeader: speaksMessages(exchange.url.pathname),
    })
    record.accountId = accountId
    record.keyId = keyId
    const body = await readJson(request, services.config.bodyLimitBytes)
    exchange.waitWithoutTimeout()
    const resolved = findModel(services.catalog, dialect.parseModelId(body))
    const modelId = resolved.entry.manifest.id
    record.model = modelId
    requireType(resolved, chatTypes, dialect.endpoint)
    const call = dialect.parse(body)
    const wasLoaded = services.pool.status().some((engine) => engine.modelId === modelId && engine.state === 'ready')
    const { pool } = services
    const chat = await startChat({ request: call.request, resolved, accountId, signal: request.signal, pool })
    record.accepted(wasLoaded)
    record.saw(chat.start)
    const context = answerContext(exchange)
    const response = call.stream
      ? streamed(exchange, chat, dialect.encoder(call, context))
      : await whole(exchange, chat, dialect.collector(call, context))
    response.headers.set('x-model-canonical', modelId)
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
  return Response.json(collector.end())
}

function streamed(
  { request, record, services }: Exchange,
  chat: StartedChat,
  encoder: ReturnType<ChatDialect<ChatCall>['encoder']>,
): Response {
  record.isStream = true
  const body = eventStream({
    ...chat,
    encoder,
    onEvent: (event) => record.saw(event),
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

function answerContext({ services, record, baseUrl }: Exchange): AnswerContext {
  const now = () => Math.floor(services.clock() / 1000)
  return {
    newId: services.newId,
    created: now(),
    now,
    fingerprint: `fp_inferd_${services.config.version}`,
    requestId: record.requestId,
    docsUrl: (code) => docsUrl(code, baseUrl),
  }
}
