import { textParts } from '../../../src/testing/text-parts.ts'
import { type Job, type JobResult, sampling } from './job.ts'

export interface ChatTarget {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

interface UsageFrame {
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  }
}

/** Job whose prompt is a conversation, in the form of chat completions. */
export interface ConversationJob extends Omit<Job, 'prompt'> {
  readonly messages: readonly unknown[]
  readonly tools?: readonly unknown[]
}

export interface StreamedAnswer extends JobResult {
  readonly text: string
}

/** Text of a frame, in JSON's form within its quotes. */
const textFrame = /"content":"((?:[^"\\]|\\.)+)"/

export function streamChat(target: ChatTarget, { prompt, ...rest }: Job): Promise<StreamedAnswer> {
  return streamConversation(target, { ...rest, messages: [{ role: 'user', content: prompt }] })
}

/**
 * Runs one streamed chat completion and records when its text arrived. Searches frames instead of parsing them, so that
 * this client takes almost no time. Rejects on an error status, an error frame, or a stream without usage.
 */
export async function streamConversation(target: ChatTarget, job: ConversationJob): Promise<StreamedAnswer> {
  const body = JSON.stringify({
    model: target.model,
    messages: job.messages,
    tools: job.tools,
    max_tokens: job.tokens,
    temperature: job.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    seed: job.seed,
    stream: true,
    stream_options: { include_usage: true },
  })
  const startMs = performance.now()
  const response = await fetch(`${target.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.apiKey}` },
    body,
    // The server may close a kept connection just as the next request is sent.
    keepalive: false,
  })
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)

  const arrivalsMs: number[] = []
  let text = ''
  let usage: UsageFrame['usage'] | undefined
  for await (const frame of textParts(response.body, '\n\n')) {
    if (frame.includes('"error":')) throw new Error(frame)
    const piece = textFrame.exec(frame)?.[1]
    if (piece !== undefined) {
      arrivalsMs.push(performance.now() - startMs)
      text += piece
    }
    // Parse boundary: checked by what follows.
    if (frame.includes('"usage":{')) usage = (JSON.parse(frame.slice('data: '.length)) as UsageFrame).usage
  }
  const totalMs = performance.now() - startMs
  if (usage === undefined) throw new Error('the stream ended without usage')
  return {
    text: JSON.parse(`"${text}"`),
    arrivalsMs,
    totalMs,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens,
  }
}
