/** Chat at upstream servers: one call per choice, all streamed in parallel. */
import type { ChatOutput, ChatRequest } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import type { ModelManifest } from '../../../core/model.ts'
import { placeImages } from '../../../core/place-images.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { prefixLength } from '../endpoints/decide.ts'
import type { ServerCall } from '../server-path.ts'
import { estimatePrompts, type PromptEstimate } from '../work/prompt-estimate.ts'
import type { PrepareWork, UpstreamLink, WorkContext } from '../work/upstream-work.ts'
import type { Abilities } from './chat-form.ts'
import { type AnswerUsage, usageOfAnswers } from './chat-usage.ts'
import { readPictureUrls } from './picture-urls.ts'
import { type ChatCallOptions, chatCalls } from './request/chat-calls.ts'
import { streamAnswer } from './stream-answer.ts'

export const prepareChat: PrepareWork<'chat'> = (given, context) => {
  const request = placeImages(given)
  const { manifest, flavor, modelThere: model, cacheSalt, contextTokens } = context
  const abilities = knownAbilities(manifest)
  const options = { flavor, abilities, model, cacheSalt }
  // Requests that the servers cannot serve are refused before anything is held.
  chatCalls(request, { ...options, maxTokens: 1, pictureUrl: () => '' })
  const prompts = estimatePrompts(request)
  const choicesOfPrompt = request.choices / prompts.length
  const sum = (name: keyof PromptEstimate) => prompts.reduce((total, prompt) => total + prompt[name], 0)
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
      await new ChatRun({ request, context, options: { ...options, pictureUrl }, prompts, link }).answerAll()
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

class ChatRun {
  readonly #options: ChatRunOptions
  /** Usage by choice. Undefined without an event. */
  readonly #answers: (AnswerUsage | undefined)[]
  /** Calls by their limit of tokens. */
  readonly #calls = new Map<number, readonly ServerCall[]>()

  constructor(options: ChatRunOptions) {
    this.#options = options
    this.#answers = Array.from({ length: options.request.choices }, () => undefined)
  }

  async answerAll(): Promise<void> {
    await Promise.all(this.#answers.map((_, choice) => this.#answer(choice)))
  }

  async #answer(choice: number): Promise<void> {
    const { request, context, prompts, link, options } = this.#options
    const { contextTokens } = context
    const promptIndex = Math.floor((choice * prompts.length) / request.choices)
    const prompt = prompts[promptIndex]
    if (prompt === undefined) throw new Error('a choice has no prompt: this is a bug')
    const { maxTokens = Number.POSITIVE_INFINITY, choices } = request
    const grantedTokens = Math.min(maxTokens, Math.max(1, Math.floor(link.granted.completionTokens / choices)))
    await link.call((endpoint) =>
      streamAnswer({
        ...{ request, choice, endpoint, prompt, grantedTokens, contextTokens },
        param: request.prompts?.[promptIndex]?.param,
        ...{ flavor: options.flavor, abilities: options.abilities },
        callOf: (maxTokens) => this.#call(choice, maxTokens),
        onProgress: (answer) => this.#noted(choice, answer),
        isEnding: () => link.signal.aborted,
      }),
    )
  }

  #call(choice: number, maxTokens: number): ServerCall {
    const { request, options } = this.#options
    const calls = this.#calls.get(maxTokens) ?? chatCalls(request, { ...options, maxTokens })
    this.#calls.set(maxTokens, calls)
    const call = calls[choice]
    if (call === undefined) throw new Error('a choice has no call: this is a bug')
    return call
  }

  #noted(choice: number, answer: AnswerUsage): void {
    this.#answers[choice] = answer
    const { used, isEstimated } = usageOfAnswers(this.#answers, this.#options.prompts)
    this.#options.link.used(used, isEstimated)
  }
}

/** Returns abilities from the manifest and the last check of the servers, which override the flavor's. */
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
