/** One answer, streamed by one server. */
import type { ChatOutput, ChatRequest } from '../../../core/chat.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { postForEvents } from '../http/post-for-events.ts'
import type { ServerCall } from '../server-path.ts'
import { lengthRefusal, smallerLimit, tooLongError } from '../work/length-refusal.ts'
import type { PromptEstimate } from '../work/prompt-estimate.ts'
import type { UpstreamEndpoint } from '../work/upstream-work.ts'
import { ChatReader } from './answer/chat-reader.ts'
import { tokenCharactersLimit } from './answer/read-logprobs.ts'
import type { Abilities } from './chat-form.ts'
import { AnswerCounter, type AnswerUsage } from './chat-usage.ts'

interface AnswerOptions {
  readonly request: ChatRequest
  readonly choice: number
  readonly flavor: UpstreamFlavor
  readonly abilities: Partial<Abilities> | undefined
  readonly endpoint: UpstreamEndpoint<ChatOutput>
  readonly prompt: PromptEstimate
  /** Field of its raw prompt. Undefined for messages. */
  readonly param: string | undefined
  readonly grantedTokens: number
  readonly contextTokens: number
  readonly callOf: (maxTokens: number) => ServerCall
  /** Called with the answer's usage so far, before the outputs that are counted in it are sent. */
  readonly onProgress: (answer: AnswerUsage) => void
  /** Returns whether nobody waits for the answer any more. */
  readonly isEnding: () => boolean
}

type ChoiceFinish = Extract<ChatOutput, { readonly type: 'choice-finish' }>

/** Most attempts with a smaller limit. Each at least halves it, unless the server reports its limit. */
const smallerTries = 6

/** Longest wait for the server's counts after the answer's last event. */
const usageWaitMs = 2_000
const endWaitMs = 100

/** Most events per token. A token may come in pieces, and some events have no token. */
const eventsPerToken = 16
const eventsBesides = 10_000
const charactersBesides = 65_536

/**
 * Streams an answer and resolves at its end. If prompt and limit together exceed the context, repeats the request with
 * a smaller limit.
 */
export async function streamAnswer(options: AnswerOptions): Promise<void> {
  const { grantedTokens, contextTokens, prompt } = options
  let maxTokens = firstLimit(grantedTokens, contextTokens, prompt)
  for (let tries = 0; ; tries++) {
    const stream = new AnswerStream(options, maxTokens)
    try {
      return await stream.read()
    } catch (error) {
      const refusal = error instanceof UpstreamFailure && !stream.hasOutput ? lengthRefusal(error) : undefined
      if (refusal === undefined) throw error
      const smaller = smallerLimit(refusal, maxTokens, prompt.mostTokens)
      if (smaller === undefined || tries === smallerTries) throw tooLongError(refusal, contextTokens, options.param)
      maxTokens = smaller
    }
  }
}

/**
 * Returns the first limit to request. Most servers refuse a limit that does not fit beside the prompt, which costs a
 * round trip; too small a limit ends a long answer early. The prompt therefore counts with its usual length if that
 * leaves half of the context to the answer, else with its least length.
 */
export function firstLimit(
  grantedTokens: number,
  contextTokens: number,
  { leastTokens, usualTokens }: PromptEstimate,
): number {
  const usualRoom = contextTokens - usualTokens - Math.ceil(contextTokens / 64)
  const room = usualRoom >= contextTokens / 2 ? usualRoom : contextTokens - leastTokens
  return Math.max(1, Math.min(grantedTokens, room))
}

class AnswerStream {
  readonly #options: AnswerOptions
  readonly #maxTokens: number
  readonly #reader: ChatReader
  readonly #counter: AnswerCounter
  #events = 0
  #isCut = false
  /** Delayed end of an answer at a limit. The server's count, which may follow, tells which limit it was. */
  #heldEnd: ChoiceFinish | undefined
  hasOutput = false

  constructor(options: AnswerOptions, maxTokens: number) {
    const { choice, request, flavor, abilities, contextTokens } = options
    this.#options = options
    this.#maxTokens = maxTokens
    this.#counter = new AnswerCounter(contextTokens)
    this.#reader = new ChatReader({ choice, request, flavor, abilities })
  }

  async read(): Promise<void> {
    const { endpoint, callOf, isEnding } = this.#options
    const reader = this.#reader
    const { body, ...path } = callOf(this.#maxTokens)
    try {
      const { events } = await postForEvents({ ...endpoint.to(path), body })
      for await (const arrived of events) {
        endpoint.answered()
        const isWaitingForUsage = reader.isFinished
        this.#take(arrived)
        // A connection that was read to its end can serve the next request.
        if (arrived.at(-1) === '[DONE]') endpoint.endWithin(endWaitMs)
        else if (reader.isDone || this.#isCut) break
        else if (reader.isFinished && !isWaitingForUsage) endpoint.endWithin(usageWaitMs)
      }
    } catch (error) {
      // The answer is complete, so a failure of its stream does not matter.
      if (!reader.isFinished || isEnding()) throw error
    }
    if (!this.#isCut) reader.requireEnd()
    this.#sendEnd(false)
  }

  /** Sends events. If one is broken, sends those before it and throws. */
  #take(arrived: readonly string[]): void {
    const { onProgress, choice } = this.#options
    const reader = this.#reader
    const outputs: ChatOutput[] = []
    try {
      for (const data of arrived) {
        if (reader.isDone) break
        const read = reader.read(data)
        this.#requireBounded()
        if (!reader.isFinished && this.#isBeyondLimit()) {
          this.#isCut = true
          outputs.push({ type: 'choice-finish', choice, reason: 'length' })
          break
        }
        outputs.push(...read)
      }
    } finally {
      const answer = this.#counter.read(reader)
      onProgress(answer)
      this.#pass(outputs, answer)
    }
  }

  #pass(outputs: readonly ChatOutput[], { completionTokens, isCounted }: AnswerUsage): void {
    const end = this.#heldEnd ?? outputs.findLast(isLimitEnd)
    this.#emit(outputs.filter((output) => output !== end))
    this.#heldEnd = end
    // Servers differ by one in whether they count the last token.
    if (isCounted || this.#isCut) this.#sendEnd(isCounted && completionTokens < this.#maxTokens - 1)
  }

  #sendEnd(isShort: boolean): void {
    const end = this.#heldEnd
    if (end === undefined) return
    this.#heldEnd = undefined
    this.#emit([isShort || this.#isLimitOfContext() ? { ...end, isContextFull: true } : end])
  }

  #emit(outputs: readonly ChatOutput[]): void {
    if (outputs.length === 0) return
    this.hasOutput = true
    this.#options.endpoint.emit(outputs)
  }

  /**
   * Returns whether the server exceeds the limit. If only pieces are counted, which may be parts of tokens, this is
   * noticed late.
   */
  #isBeyondLimit(): boolean {
    const { completionTokens, isCounted } = this.#counter.read(this.#reader)
    if (isCounted) return completionTokens > this.#maxTokens
    const { request, prompt } = this.#options
    const echoTokens = request.echoesPrompt === true ? prompt.mostTokens : 0
    return completionTokens > (this.#maxTokens + echoTokens) * 1.5 + 16
  }

  /** Throws if the server sends more text or events than the token limit allows, even if its own counts are lower. */
  #requireBounded(): void {
    // Some servers repeat the prompt.
    const tokens = this.#maxTokens + this.#options.prompt.mostTokens
    const isTooLong = this.#reader.characters > tokens * tokenCharactersLimit + charactersBesides
    if (!isTooLong && ++this.#events <= this.#maxTokens * eventsPerToken + eventsBesides) return
    throw new UpstreamFailure('too-large', `the server sends more than ${this.#maxTokens} tokens can be`)
  }

  /** Returns whether the context, rather than the request or the money, limited the answer. */
  #isLimitOfContext(): boolean {
    const { request, grantedTokens, contextTokens, prompt } = this.#options
    if (this.#maxTokens < grantedTokens) return true
    return (
      grantedTokens < (request.maxTokens ?? Number.POSITIVE_INFINITY) &&
      grantedTokens >= contextTokens - prompt.leastTokens
    )
  }
}

function isLimitEnd(output: ChatOutput): output is ChoiceFinish {
  return output.type === 'choice-finish' && output.reason === 'length' && output.isRepetition !== true
}
