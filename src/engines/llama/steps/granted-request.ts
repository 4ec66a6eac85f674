/** Request in the step loop: its grants and its progress. */
import { type Consumption, type FinishEvent, nothingConsumed } from '../../../core/usage.ts'
import { asksForMoreAt, type Grant } from '../../protocol/request-events.ts'
import type { Answer } from '../answer/answer.ts'
import type { EncodedPicture } from './encoder-cache.ts'
import { isSound, type PromptLayout } from './prompt-layout.ts'

/** Request as the loop receives it. */
export interface LoopRequest {
  readonly id: number
  readonly accountId: string
  /** Owner of shared computed prompts. Defaults to the account. */
  readonly cacheOwner?: string
  /** Tokens of all its prompts. */
  readonly promptTokens: number
  /** Most tokens of each answer. */
  readonly outputTokens: number
  /** True if its own settings ban tokens. */
  readonly isConstrained: boolean
  /** One answer per choice. Answers to the same prompt share one prompt object. */
  readonly answers: readonly Answer[]
}

export class GrantedRequest {
  readonly prepared: LoopRequest
  readonly accountId: string
  /** True once the request has failed or was cancelled: it is no longer computed or sent. */
  isOver = false
  readonly unfinished: Set<Answer>
  /** Encoded pictures that will soon be decoded, by key. */
  readonly encoded = new Map<string, EncodedPicture>()
  /** Keys of pictures that may turn out undecodable, once the request has had a slot. */
  unseen = new Set<string>()
  /** True once its first event has been sent. */
  hasStarted = false
  /** Answers without a slot that need none before the next grant. */
  readonly ungranted = new Set<Answer>()
  /** Answers whose slot was given to another account. */
  readonly parked = new Set<Answer>()
  /** Tokens granted to each answer. */
  #grantedTokens = 0
  #isFinal = false
  #hasAsked = false
  /**
   * Prompts with an answer that has held a slot, with their tokens cached at that time and those known to be processed.
   */
  readonly #prompts = new Map<PromptLayout, { readonly cachedTokens: number; processedTokens: number }>()

  constructor(prepared: LoopRequest, grant: Grant) {
    this.prepared = prepared
    this.accountId = prepared.accountId
    this.unfinished = new Set(prepared.answers)
    this.allow(grant)
  }

  /** Takes a grant and divides it equally among the answers. */
  allow({ limit, isFinal }: Grant): void {
    if (this.#isFinal) return
    this.#grantedTokens = Math.max(
      Math.floor(limit.completionTokens / this.prepared.answers.length),
      this.#grantedTokens,
    )
    this.#isFinal = isFinal
    this.#hasAsked = false
  }

  /**
   * Returns whether the answer may have another token, or only has a prompt, which the first grant paid. Otherwise it
   * waits for the next grant, or ends if there is none.
   */
  mayGoOn(answer: Answer): boolean {
    return this.tokensLeft(answer) > 0 || (answer.isPromptOnly && answer.undecoded > 0)
  }

  /** Returns the tokens that an answer may have before the next grant. */
  tokensLeft({ generatedTokens }: Answer): number {
    return this.#grantedTokens - generatedTokens
  }

  /** Returns whether the answer has used the last grant. */
  isSpent(answer: Answer): boolean {
    return this.#isFinal && !this.mayGoOn(answer)
  }

  /** Returns true once per grant, when the answer will soon need the next. */
  asksFor(answer: Answer): boolean {
    if (this.#hasAsked || this.#isFinal || this.prepared.outputTokens <= this.#grantedTokens) return false
    if (answer.generatedTokens < asksForMoreAt(this.#grantedTokens)) return false
    this.#hasAsked = true
    return true
  }

  /** Tokens of its prompts that were cached when they began. Undefined until the first prompt begins. */
  get cachedTokens(): number | undefined {
    return this.#prompts.size === 0 ? undefined : this.#total(({ cachedTokens }) => cachedTokens)
  }

  /** Returns false until an answer to the same prompt has held a slot. */
  hasBegun({ prompt }: Answer): boolean {
    return this.#prompts.has(prompt)
  }

  /** Begins the first answer to a prompt with its cached tokens. */
  begin({ prompt, decoded }: Answer): void {
    this.#prompts.set(prompt, { cachedTokens: decoded, processedTokens: decoded })
  }

  /**
   * Records the answer's tokens in the cache. Returns the number of newly processed prompt tokens. Tokens that are
   * computed again after a pause count once.
   */
  noteProcessed({ prompt, decoded }: Answer): number {
    const begun = this.#prompts.get(prompt)
    if (begun === undefined) throw new Error('an answer was decoded that has not begun: this is a bug')
    const more = Math.max(0, Math.min(decoded, prompt.units.length) - begun.processedTokens)
    begun.processedTokens += more
    return more
  }

  /** Owner of the computed prompts that it shares. */
  get cacheOwner(): string {
    return this.prepared.cacheOwner ?? this.accountId
  }

  /** Returns the last event of a request whose answers are complete. */
  finish(): FinishEvent {
    const runs = this.prepared.answers[0]?.runs ?? []
    const entriesOf = (some: typeof runs) => some.reduce((sum, { entries }) => sum + entries, 0)
    const audioTokens = entriesOf(runs.filter(({ picture }) => isSound(picture)))
    const imageTokens = entriesOf(runs) - audioTokens
    return {
      type: 'finish',
      usage: this.usage(),
      ...(imageTokens > 0 && { imageTokens }),
      ...(audioTokens > 0 && { audioTokens }),
    }
  }

  /** Returns the consumption so far. */
  usage(): Consumption {
    const { answers } = this.prepared
    const total = (tokensOf: (answer: Answer) => number) => answers.reduce((sum, answer) => sum + tokensOf(answer), 0)
    return {
      ...nothingConsumed,
      promptTokens: this.#total(({ processedTokens }) => processedTokens),
      cachedTokens: this.cachedTokens ?? 0,
      completionTokens: total((answer) => answer.generatedTokens),
      reasoningTokens: total((answer) => answer.reasoningTokens),
    }
  }

  #total(tokensOf: (begun: { readonly cachedTokens: number; readonly processedTokens: number }) => number): number {
    return this.#prompts.values().reduce((sum, begun) => sum + tokensOf(begun), 0)
  }
}
