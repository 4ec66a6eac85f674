/** Chat at upstream servers: one call per choice, all streamed in parallel. */
import type { ChatOutput, ChatRequest, RawPrompt } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import type { ModelManifest } from '../../../core/model.ts'
import { placeImages } from '../../../core/place-images.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { requireFewScores } from '../../shared/engine-errors.ts'
import { prefixLength } from '../endpoints/decide.ts'
import type { ServerCall } from '../server-path.ts'
import { estimatePrompts, type PromptEstimate } from '../work/prompt-estimate.ts'
import type { PrepareWork, UpstreamLink, WorkContext } from '../work/upstream-work.ts'
import type { Abilities } from './chat-form.ts'
import { type AnswerUsage, usageOfAnswers } from './chat-usage.ts'
import { readPictureUrls } from './picture-urls.ts'
import { type ChatCallOptions, chatCalls, isWholeAnswer } from './request/chat-calls.ts'
import { fetchScoredAnswer } from './scored-answer.ts'
import { firstLimit, streamAnswer } from './stream-answer.ts'

export const prepareChat: PrepareWork<'chat'> = (given, context) => {
  const request = placeImages(given)
  const { manifest, flavor, modelThere: model, cacheSalt, contextTokens } = context
  const abilities = knownAbilities(manifest)
  const options = { flavor, abilities, model, cacheSalt }
  // Throws for requests that the servers cannot serve, before money is held.
  chatCalls(request, { ...options, maxTokens: 1, pictureUrl: () => '' })
  const prompts = estimatePrompts(request)
  const choicesOfPrompt = request.choices / prompts.length
  const sum = (name: keyof PromptEstimate) => prompts.reduce((total, prompt) => total + prompt[name], 0)
  const { promptScores } = request
  if (promptScores !== undefined) {
    requireFewScores(sum('leastTokens'), promptScores, request.prompts === undefined ? 'messages' : 'prompt')
  }
  const mostPromptTokens = Math.min(sum('mostTokens'), contextTokens * prompts.length)
  const answers = prompts.map((prompt) => answerTokensLimit(request, prompt, contextTokens) * choicesOfPrompt)
  return {
    prefix: beginningOf(request),
    estimate: {
      least: { ...nothingConsumed, promptTokens: Math.min(sum('leastTokens'), mostPromptTokens) },
      most: {
        ...nothingConsumed,
        promptTokens: mostPromptTokens,
        completionTokens: answers.reduce((total, tokens) => total + tokens, 0),
      },
    },
    run: async (link) => {
      const pictureUrl = await readPictureUrls(request)
      await answerAll({ request, context, options: { ...options, pictureUrl }, prompts, link })
    },
  }
}

interface ChatRunOptions {
  readonly request: ChatRequest
  readonly context: WorkContext
  readonly options: Omit<ChatCallOptions, 'maxTokens'>
  readonly prompts: readonly PromptEstimate[]
  readonly link: UpstreamLink<ChatOutput>
}

async function answerAll({ request, context, prompts, link, options }: ChatRunOptions): Promise<void> {
  const { choices, maxTokens: most = Number.POSITIVE_INFINITY } = request
  const { flavor, abilities } = options
  const grantedTokens = Math.min(most, Math.max(1, Math.floor(link.granted.completionTokens / choices)))
  /** Usage by choice. Undefined before its first event. */
  const answers: (AnswerUsage | undefined)[] = Array.from({ length: choices }, () => undefined)
  /** Calls by their token limit. */
  const calls = new Map<number, readonly ServerCall[]>()
  const callOf = (choice: number, maxTokens: number) => {
    const own = calls.get(maxTokens) ?? chatCalls(request, { ...options, maxTokens })
    calls.set(maxTokens, own)
    const call = own[choice]
    if (call === undefined) throw new Error('a choice has no call: this is a bug')
    return call
  }
  const noteUsage = (choice: number, answer: AnswerUsage) => {
    answers[choice] = answer
    const { used, isEstimated } = usageOfAnswers(answers, prompts)
    link.used(used, isEstimated)
  }
  const scored = async (choice: number, estimate: PromptEstimate, prompt: RawPrompt | undefined) => {
    const { contextTokens } = context
    const mostTokens = most === 0 ? limitWithoutAnswer(options.flavor, prompt, request) : grantedTokens
    const maxTokens = most === 0 ? mostTokens : firstLimit(mostTokens, contextTokens, estimate)
    await link.call((endpoint) =>
      fetchScoredAnswer({
        ...{ request, choice, endpoint, estimate, prompt, maxTokens, contextTokens, flavor, abilities },
        callOf: (limit) => callOf(choice, limit),
        onProgress: (progress) => noteUsage(choice, progress),
      }),
    )
  }
  const answer = async (choice: number) => {
    const promptIndex = Math.floor((choice * prompts.length) / choices)
    const prompt = prompts[promptIndex]
    if (prompt === undefined) throw new Error('a choice has no prompt: this is a bug')
    if (isWholeAnswer(request)) return scored(choice, prompt, request.prompts?.[promptIndex])
    await link.call((endpoint) =>
      streamAnswer({
        ...{ request, choice, endpoint, prompt, grantedTokens, flavor, abilities },
        contextTokens: context.contextTokens,
        param: request.prompts?.[promptIndex]?.param,
        callOf: (maxTokens) => callOf(choice, maxTokens),
        onProgress: (progress) => noteUsage(choice, progress),
        isEnding: () => link.signal.aborted,
      }),
    )
  }
  await Promise.all(answers.map((_, choice) => answer(choice)))
}

/** Returns the limit to send for a prompt without an answer: vLLM allows none only with an echo. */
function limitWithoutAnswer(
  flavor: UpstreamFlavor,
  prompt: RawPrompt | undefined,
  { echoesPrompt }: ChatRequest,
): number {
  return flavor === 'inferd' || prompt?.kind === 'text' || echoesPrompt === true ? 0 : 1
}

/** Returns the abilities known from the manifest and the last check of the servers, which override the flavor's. */
function knownAbilities({ capabilities, upstream }: ModelManifest): Partial<Abilities> {
  const lacks = new Set(upstream?.lacks)
  return {
    ...(capabilities.tools === false && { tools: false }),
    ...(lacks.has('named-tools') && { namedTools: false }),
    ...(lacks.has('schemas') && { schemas: false }),
    ...(lacks.has('logprobs') && { logprobs: false }),
    ...(lacks.has('pictures') && { pictures: false }),
    ...(lacks.has('prompts') && { prompts: false }),
    ...(lacks.has('thinking-field') && { parsesThinking: false }),
  }
}

/** Returns the most tokens of one answer. */
function answerTokensLimit(request: ChatRequest, { leastTokens }: PromptEstimate, contextTokens: number): number {
  return Math.min(request.maxTokens ?? Number.POSITIVE_INFINITY, Math.max(1, contextTokens - leastTokens))
}

function beginningOf({ messages, prompts = [] }: ChatRequest): string {
  const [prompt] = prompts
  if (prompt !== undefined) {
    return prompt.kind === 'tokens' ? prompt.tokens.slice(0, prefixLength / 4).join(' ') : textOf(prompt)
  }
  let text = ''
  for (const { role, content } of messages) {
    text += `${role}\n${contentText(content).slice(0, prefixLength)}\n`
    if (text.length >= prefixLength) break
  }
  return text
}

function textOf(prompt: { readonly text: string } | { readonly prefix: string }): string {
  return ('text' in prompt ? prompt.text : prompt.prefix).slice(0, prefixLength)
}
