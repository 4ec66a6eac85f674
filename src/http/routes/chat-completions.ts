import { toApiError } from '../../core/errors.ts'
import { chatTypes, type StartedChat, startChat } from '../../inference/chat.ts'
import { findModel, requireType } from '../../inference/resolve-model.ts'
import { ChunkEncoder } from '../../wire/chat-completions/chunk-encoder.ts'
import { CompletionCollector } from '../../wire/chat-completions/completion.ts'
import type { Envelope } from '../../wire/chat-completions/envelope.ts'
import {
  type ChatCompletionCall,
  parseChatCompletion,
  parseModelId,
} from '../../wire/chat-completions/parse-request.ts'
import { dataFrame } from '../../wire/sse-frame.ts'
import { authenticate } from '../authenticate.ts'
import { errorBody } from '../errors.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { eventStream, eventStreamHeaders } from '../sse.ts'

/** POST /chat/completions. Checks in this order: key, JSON, model, its type, the other fields, the engine. */
export async function chatCompletions(exchange: Exchange): Promise<Response> {
  const { request, record, services } = exchange
  const { accountId, keyId } = authenticate(request.headers, services.keys)
  record.accountId = accountId
  record.keyId = keyId
  const body = await readJson(request, services.config.bodyLimitBytes)
  exchange.waitWithoutTimeout()
  const resolved = findModel(services.catalog, parseModelId(body))
  const modelId = resolved.entry.manifest.id
  record.model = modelId
  requireType(resolved, chatTypes, 'chat/completions')
  const call = parseChatCompletion(body)
  const wasLoaded = services.pool.status().some((engine) => engine.modelId === modelId && engine.state === 'ready')
  const { pool } = services
  const chat = await startChat({ request: call.request, resolved, accountId, signal: request.signal, pool })
  record.accepted(wasLoaded)
  record.saw(chat.start)
  const answer = { exchange, call, chat }
  const response = call.stream ? streamed(answer) : await whole(answer)
  response.headers.set('x-model-canonical', modelId)
  return response
}

interface Answer {
  readonly exchange: Exchange
  readonly call: ChatCompletionCall
  readonly chat: StartedChat
}

async function whole({ exchange, call, chat }: Answer): Promise<Response> {
  const { choices, topLogprobs } = call.request
  const envelope = newEnvelope(exchange, call)
  const collector = new CompletionCollector({ envelope, choices, logprobs: topLogprobs !== undefined })
  for await (const event of chat.rest) {
    exchange.record.saw(event)
    collector.push(event)
  }
  return Response.json(collector.end())
}

function streamed({ exchange, call, chat }: Answer): Response {
  const { request, record, services, baseUrl } = exchange
  const { choices } = call.request
  const { includeUsage } = call
  const encoder = new ChunkEncoder({ envelope: newEnvelope(exchange, call), choices, includeUsage })
  record.isStream = true
  const body = eventStream({
    ...chat,
    encoder,
    onEvent: (event) => record.saw(event),
    signal: request.signal,
    keepAliveMs: services.config.keepAliveMs,
    toErrorFrames: (thrown) => {
      const error = toApiError(thrown)
      record.failed(error)
      return [dataFrame(errorBody(error, baseUrl))]
    },
    onEnd: () => {
      record.isAborted = request.signal.aborted
      record.end()
    },
  })
  return new Response(body, { headers: eventStreamHeaders })
}

function newEnvelope({ services }: Exchange, call: ChatCompletionCall): Envelope {
  return {
    id: services.newId('chatcmpl-'),
    created: Math.floor(services.clock() / 1000),
    model: call.model,
    fingerprint: `fp_inferd_${services.config.version}`,
  }
}
