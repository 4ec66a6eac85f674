/** Upstream server under check. Requests use the normal client and format. */
import type { ChatOutput, ChatRequest, FinishReason } from '../../../core/chat.ts'
import type { ModelManifest } from '../../../core/model.ts'
import type { UpstreamServers } from '../../../core/upstream.ts'
import type { Work, WorkKind } from '../../../core/work.ts'
import { ChatReader } from '../chat/answer/chat-reader.ts'
import { dataUrl } from '../chat/picture-urls.ts'
import { chatCalls } from '../chat/request/chat-calls.ts'
import { postForEvents } from '../http/post-for-events.ts'
import { defaultLimits, type HttpLimits } from '../http/request.ts'
import { urlOf } from '../server-path.ts'
import type { OutputOf, PrepareWork, UpstreamEndpoint } from '../work/upstream-work.ts'

export interface CheckedServer {
  /** Manifest as written, without results of an earlier check. */
  readonly manifest: ModelManifest
  readonly servers: UpstreamServers
  /** Base URL of the endpoint. */
  readonly url: string
  readonly key: string | undefined
  /** Time limit of each probe. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

/** One small chat as received. */
export interface ChatAnswer {
  readonly text: string
  /** Received thinking tokens, whether wanted or not. */
  readonly reasoningTokens: number
  /** Thinking tokens by the server's own count, whether received or not. */
  readonly statedReasoningTokens: number
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[]
  readonly logprobs: number
  readonly end: FinishReason | undefined
  /** When the server reports counts: with each event, at the end, or never. */
  readonly usage: 'each' | 'last' | 'none'
}

/** Salt in place of an account's. */
const cacheSalt = 'check'

export function limitsOf({ limitMs }: Pick<CheckedServer, 'limitMs'>): HttpLimits {
  return { ...defaultLimits, firstByteMs: limitMs, idleMs: limitMs, totalMs: limitMs }
}

interface ChatProbe {
  readonly request: ChatRequest
  readonly maxTokens: number
  /** Bytes of the request's picture, if any. */
  readonly picture?: Buffer | undefined
  /** Called at the first piece. The answer is abandoned when the promise resolves. */
  readonly onBegun?: (() => Promise<void>) | undefined
}

/** Sends a chat. Throws UpstreamFailure, ApiError for features that the flavor lacks, and the signal's reason. */
export async function askChat(server: CheckedServer, probe: ChatProbe): Promise<ChatAnswer> {
  const { servers, url, key, signal } = server
  const { request, maxTokens, picture, onBegun } = probe
  const { flavor, model } = servers
  const pictureData = picture === undefined ? '' : await dataUrl(picture, 1)
  const options = { flavor, model, maxTokens, cacheSalt, pictureUrl: () => pictureData }
  const [call] = chatCalls(request, options)
  if (call === undefined) throw new Error('a request without a choice: this is a bug')
  const reader = new ChatReader({ choice: 0, request, flavor })
  const outputs: ChatOutput[] = []
  let isCountedEarly = false
  const limits = limitsOf(server)
  const answer = await postForEvents({ url: urlOf(url, call), key, body: call.body, signal, limits })
  try {
    for await (const events of answer.events) {
      for (const data of events) {
        outputs.push(...reader.read(data))
        isCountedEarly ||= reader.usage !== undefined && !reader.isFinished
      }
      if (reader.isDone) break
      if (onBegun === undefined || outputs.length === 0) continue
      await onBegun()
      return answerOf(reader, outputs, isCountedEarly)
    }
  } finally {
    answer.close()
  }
  if (!reader.isDone) reader.requireEnd()
  return answerOf(reader, outputs, isCountedEarly)
}

function answerOf(reader: ChatReader, outputs: readonly ChatOutput[], isCountedEarly: boolean): ChatAnswer {
  const calls: { name: string; argumentsText: string }[] = []
  let text = ''
  let logprobs = 0
  let end: FinishReason | undefined
  for (const output of outputs) {
    const last = calls.at(-1)
    if (output.type === 'text-delta') {
      text += output.text
      logprobs += output.logprobs?.length ?? 0
    } else if (output.type === 'tool-call-start') calls.push({ name: output.name, argumentsText: '' })
    else if (output.type === 'tool-call-delta' && last !== undefined) last.argumentsText += output.argumentsText
    else if (output.type === 'choice-finish') end = output.reason
  }
  const usage = isCountedEarly ? 'each' : reader.usage === undefined ? 'none' : 'last'
  const { reasoningTokens } = reader.counted
  const statedReasoningTokens = reader.usage?.reasoningTokens ?? 0
  return { text, calls, logprobs, end, usage, reasoningTokens, statedReasoningTokens }
}

/** Sends work other than chats. `isCounted`: the server counted, if the kind has counts. Throws as `askChat`. */
export async function askWork<Kind extends WorkKind>(
  server: CheckedServer,
  prepare: PrepareWork<Kind>,
  request: Work<Kind>['request'],
): Promise<{ readonly outputs: readonly OutputOf<Kind>[]; readonly isCounted: boolean }> {
  const { manifest, servers, url, key, signal } = server
  const { flavor, model: modelThere } = servers
  const contextTokens = manifest.contextLength ?? Number.POSITIVE_INFINITY
  const work = prepare(request, { manifest, flavor, modelThere, contextTokens, cacheSalt })
  const outputs: OutputOf<Kind>[] = []
  let isCounted = false
  const endpoint: UpstreamEndpoint<OutputOf<Kind>> = {
    to: (path) => ({
      url: urlOf(url, typeof path === 'string' ? { path } : path),
      ...{ key, signal, limits: limitsOf(server) },
    }),
    answered: () => undefined,
    emit: (emitted) => void outputs.push(...emitted),
    unpaused: async () => undefined,
    endWithin: () => undefined,
  }
  await work.run({
    granted: work.estimate.most,
    signal,
    call: (ask) => ask(endpoint),
    used: (_, isEstimated = false) => {
      isCounted = !isEstimated
    },
    started: () => undefined,
  })
  return { outputs, isCounted }
}
