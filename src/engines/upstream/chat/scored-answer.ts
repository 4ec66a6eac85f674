/**
 * Answers with scores of their prompts, and prompts without an answer. Not streamed: the scores of a long prompt come
 * at once.
 */
import { setImmediate } from 'node:timers/promises'
import type { ChatOutput, ChatRequest, RawPrompt } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { malformedAnswer, UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import type { ServerCall } from '../server-path.ts'
import { lengthRefusal, smallerLimit, tooLongError } from '../work/length-refusal.ts'
import type { PromptEstimate } from '../work/prompt-estimate.ts'
import type { UpstreamEndpoint } from '../work/upstream-work.ts'
import { ChatReader } from './answer/chat-reader.ts'
import { readLogprobs } from './answer/read-logprobs.ts'
import { readPromptScores } from './answer/read-prompt-scores.ts'
import { UsageReader } from './answer/usage-reader.ts'
import type { Abilities } from './chat-form.ts'
import type { AnswerUsage } from './chat-usage.ts'

/** Size limit of an answer, which is parsed at once in the server's own thread. */
const answerBytesLimit = 64 * 1024 * 1024
/** Most attempts with a smaller limit of tokens. */
const smallerTries = 6

interface ScoredOptions {
  readonly request: ChatRequest
  readonly choice: number
  readonly flavor: UpstreamFlavor
  readonly abilities: Partial<Abilities> | undefined
  readonly endpoint: UpstreamEndpoint<ChatOutput>
  readonly estimate: PromptEstimate
  readonly prompt: RawPrompt | undefined
  readonly maxTokens: number
  readonly contextTokens: number
  readonly callOf: (maxTokens: number) => ServerCall
  readonly onProgress: (answer: AnswerUsage) => void
}

/** Fetches one answer, and emits its events. */
export async function fetchScoredAnswer(options: ScoredOptions): Promise<void> {
  const { endpoint, onProgress } = options
  const answer = await askWithin(options)
  const read = options.prompt === undefined ? readChat : readCompletion
  const { scores, outputs, usage } = await read(answer, options)
  onProgress(usage)
  for (const event of scores) {
    endpoint.emit([event])
    // Whoever takes them works in this thread too.
    await setImmediate()
  }
  endpoint.emit(outputs)
}

/** Asks with smaller limits while prompt and limit together exceed the context. */
async function askWithin({ endpoint, callOf, maxTokens, estimate, contextTokens, prompt }: ScoredOptions) {
  let limit = maxTokens
  for (let tries = 0; ; tries++) {
    const { body, ...path } = callOf(limit)
    try {
      const { limits, ...place } = endpoint.to(path)
      // The first byte comes only after the whole answer is computed.
      const patient = { ...limits, firstByteMs: limits.totalMs }
      const answer = await requestJson({ ...place, limits: patient, method: 'POST', body }, answerBytesLimit)
      endpoint.answered()
      if (isObject(answer as JsonValue)) return answer as JsonObject
      throw malformedAnswer('no object')
    } catch (error) {
      const refusal = error instanceof UpstreamFailure ? lengthRefusal(error) : undefined
      if (refusal === undefined) throw error
      const smaller = limit === 0 ? undefined : smallerLimit(refusal, limit, estimate.mostTokens)
      if (smaller === undefined || tries === smallerTries) throw tooLongError(refusal, contextTokens, prompt?.param)
      limit = smaller
    }
  }
}

async function readCompletion(answer: JsonObject, { request, choice, prompt, contextTokens }: ScoredOptions) {
  const told = choiceOf(answer)
  const lists = isObject(told.logprobs) ? told.logprobs : undefined
  const ids = prompt?.kind === 'tokens' ? prompt.tokens : undefined
  const byId = Array.isArray(told.prompt_logprobs) ? (told.prompt_logprobs as readonly JsonValue[]) : undefined
  const { promptScores, topLogprobs, echoesPrompt = false } = request
  const listed: readonly JsonValue[] = Array.isArray(lists?.tokens) ? lists.tokens : []
  const counts = countsOf(answer, contextTokens)
  const places = byId?.length ?? ids?.length ?? counts?.promptTokens ?? listed.length
  const outputs: ChatOutput[] = []
  const isScored = promptScores !== undefined
  if (isScored && places > contextTokens) throw malformedAnswer('more tokens than the context has')
  const scores = isScored
    ? await readPromptScores({ byId, lists, ids, alternatives: promptScores }, choice, places)
    : []
  const isEchoed = listed.length >= places && places > 0
  const rest = lists && isEchoed ? from(lists, places) : lists
  const logprobs = topLogprobs === undefined || rest === undefined ? [] : readLogprobs(rest, topLogprobs)
  const { text, isWhole } = answerText(told.text, prompt, echoesPrompt)
  if (echoesPrompt && prompt?.kind === 'text') outputs.push({ type: 'text-delta', choice, text: prompt.text })
  const isAnswered = request.maxTokens !== 0
  const { visible, stopString } = cutAtStop(text, isWhole ? [] : request.stop)
  const said = isAnswered && topLogprobs !== undefined ? logprobs : []
  const shown = isAnswered || isWhole ? visible : ''
  if (shown !== '')
    outputs.push({ type: 'text-delta', choice, text: shown, ...(said.length > 0 && { logprobs: said }) })
  const reason = isAnswered && (stopString !== undefined || told.finish_reason !== 'length') ? 'stop' : 'length'
  outputs.push({
    ...{ type: 'choice-finish', choice, reason },
    ...(stopString !== undefined && { stopString }),
    ...(shown === '' && said.length > 0 && { logprobs: said }),
  })
  const counted = isAnswered ? Math.max(1, logprobs.length) : 0
  const completionTokens = isAnswered ? (counts?.completionTokens ?? counted) : 0
  return { scores, outputs, usage: usageOf(counts, completionTokens, 0) }
}

async function readChat(answer: JsonObject, { request, choice, flavor, abilities, contextTokens }: ScoredOptions) {
  const told = choiceOf(answer)
  const { promptScores } = request
  // vLLM has them beside the choices.
  const found = [told.prompt_logprobs, answer.prompt_logprobs].find(Array.isArray) as readonly JsonValue[] | undefined
  if (found === undefined && promptScores !== undefined) throw malformedAnswer('no log probabilities of the prompt')
  const places = Math.min(found?.length ?? 0, contextTokens)
  const toldScores = { byId: found, lists: undefined, ids: undefined, alternatives: promptScores ?? 0 }
  const scores = await readPromptScores(toldScores, choice, places)
  const outputs: ChatOutput[] = []
  const counts = countsOf(answer, contextTokens)
  if (request.maxTokens === 0) {
    outputs.push({ type: 'choice-finish', choice, reason: 'length' })
    return { scores, outputs, usage: usageOf(counts, 0, 0) }
  }
  const reader = new ChatReader({ choice, request, flavor, abilities })
  const { message = null, logprobs = null, finish_reason = null, stop_reason = null } = told
  outputs.push(
    ...reader.read(JSON.stringify({ choices: [{ index: 0, message, logprobs, finish_reason, stop_reason }] })),
  )
  outputs.push(...reader.read('[DONE]'))
  const { completionTokens, reasoningTokens } = counts ?? reader.counted
  return { scores, outputs, usage: usageOf(counts, completionTokens, Math.min(reasoningTokens, completionTokens)) }
}

function choiceOf({ choices }: JsonObject): JsonObject {
  const [choice] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : []
  if (isObject(choice)) return choice
  throw malformedAnswer('no choice')
}

function countsOf(answer: JsonObject, contextTokens: number) {
  const reader = new UsageReader()
  reader.note(answer)
  const usage = reader.usage({ completionTokens: 0, reasoningTokens: 0 })
  if (usage === undefined || usage.promptTokens + usage.completionTokens > contextTokens) return undefined
  return usage
}

/** Scored tokens are computed whatever the server's cache holds: all of the prompt has its full price. */
function usageOf(counts: ReturnType<typeof countsOf>, completionTokens: number, reasoningTokens: number): AnswerUsage {
  const prompt = counts && { promptTokens: counts.promptTokens, cachedTokens: 0 }
  return { completionTokens, reasoningTokens, prompt, isCounted: counts !== undefined }
}

/** Returns the text behind the prompt's. `isWhole`: it includes the prompt of token ids, whose text nobody else knows. */
function answerText(said: JsonValue | undefined, prompt: RawPrompt | undefined, echoesPrompt: boolean) {
  const text = typeof said === 'string' ? said.toWellFormed() : ''
  if (prompt?.kind !== 'text') return { text, isWhole: echoesPrompt }
  if (!text.startsWith(prompt.text)) throw malformedAnswer('no echo of the prompt')
  return { text: text.slice(prompt.text.length), isWhole: false }
}

function cutAtStop(text: string, stops: readonly string[]) {
  const found = stops.flatMap((stop) => (text.includes(stop) ? [{ stop, at: text.indexOf(stop) }] : []))
  const [first] = found.sort((one, other) => one.at - other.at)
  return first === undefined ? { visible: text } : { visible: text.slice(0, first.at), stopString: first.stop }
}

/** Returns the lists without their first entries. */
function from(lists: JsonObject, begin: number): JsonObject {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, Array.isArray(list) ? list.slice(begin) : list]),
  )
}
