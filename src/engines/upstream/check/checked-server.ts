/** One upstream server that is checked, and how it is asked: by the client and in the form of all requests. */
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
  /** As it is written: nothing of an earlier check in it. */
  readonly manifest: ModelManifest
  readonly servers: UpstreamServers
  /** The endpoint. */
  readonly url: string
  readonly key: string | undefined
  /** Of each probe. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

/** One small chat as it came. */
export interface ChatAnswer {
  readonly text: string
  /** Tokens of thinking that came, also where they were not wanted. */
  readonly reasoningTokens: number
  /** As the server counts them, whether they came or not. */
  readonly statedReasoningTokens: number
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[]
  readonly logprobs: number
  readonly end: FinishReason | undefined
  /** Whether the server counted: while the answer came, with its end, or not. */
  readonly usage: 'each' | 'last' | 'none'
}

/** In place of an account's. */
const cacheSalt = 'check'

export function limitsOf({ limitMs }: Pick<CheckedServer, 'limitMs'>): HttpLimits {
  return { ...defaultLimits, firstByteMs: limitMs, idleMs: limitMs, totalMs: limitMs }
}

export interface ChatProbe {
  readonly request: ChatRequest
  readonly maxTokens: number
  /** Bytes of a picture, of a request that has one. */
  readonly picture?: Buffer | undefined
  /** The first piece has come: the answer is left when it resolves. */
  readonly onBegun?: (() => Promise<void>) | undefined
}

/** Throws UpstreamFailure, ApiError for what the flavor cannot, and the signal's reason. */
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

/** Other work than chats. `isCounted`: by the server, as far as its kind has anything to count. Throws as `askChat`. */
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
