/** A request in the step loop: what it is granted, and what of it has been computed. */
import { type Consumption, type FinishEvent, nothingConsumed } from '../../../core/usage.ts'
import { asksForMoreAt, type Grant } from '../../protocol.ts'
import type { Answer } from '../answer/answer.ts'
import type { EncodedPicture } from './encoder-cache.ts'
import type { PromptLayout } from './prompt-layout.ts'

/** A request as the loop gets it. */
export interface LoopRequest {
  readonly id: number
  readonly accountId: string
  /** Requests of the same owner share computed prompts; absent: those of the account. */
  readonly cacheOwner?: string
  /** Of all its prompts. */
  readonly promptTokens: number
  /** Most tokens any answer may have. */
  readonly outputTokens: number
  /** Its own settings ban tokens. */
  readonly isConstrained: boolean
  /** One per choice. Those to the same prompt have it as one object. */
  readonly answers: readonly Answer[]
}

export class GrantedRequest {
  readonly prepared: LoopRequest
  readonly accountId: string
  /** It has failed or was cancelled: nothing of it is computed or sent any more. */
  isOver = false
  readonly unfinished: Set<Answer>
  /** By their keys: pictures that are encoded and will soon be decoded. */
  readonly encoded = new Map<string, EncodedPicture>()
  /** Keys of pictures of which it is not known yet whether they can be decoded; from its first slot on. */
  unseen = new Set<string>()
  /** Its first event has been sent. */
  hasStarted = false
  /** Answers that hold no slot and want none before the next grant. */
  readonly ungranted = new Set<Answer>()
  /** Answers whose slot was given to another account. */
  readonly parked = new Set<Answer>()
  /** Tokens that each answer may have. */
  #grantedTokens = 0
  #isFinal = false
  #hasAsked = false
  /** Prompts an answer to which has held a slot: tokens that were cached then, and those that are known to be processed. */
  readonly #prompts = new Map<PromptLayout, { readonly cachedTokens: number; processedTokens: number }>()

  constructor(prepared: LoopRequest, grant: Grant) {
    this.prepared = prepared
    this.accountId = prepared.accountId
    this.unfinished = new Set(prepared.answers)
    this.allow(grant)
  }

  /** Each answer gets an equal part. */
  allow({ limit, isFinal }: Grant): void {
    if (this.#isFinal) return
    this.#grantedTokens = Math.max(
      Math.floor(limit.completionTokens / this.prepared.answers.length),
      this.#grantedTokens,
    )
    this.#isFinal = isFinal
    this.#hasAsked = false
  }

  /** An answer that may have no other token now waits for the next grant, or ends when there will be none. */
  mayGoOn(answer: Answer): boolean {
    return this.tokensLeft(answer) > 0
  }

  /** So many more tokens an answer may have before the next grant. */
  tokensLeft({ generatedTokens }: Answer): number {
    return this.#grantedTokens - generatedTokens
  }

  /** No grant will come for it any more. */
  isSpent(answer: Answer): boolean {
    return this.#isFinal && !this.mayGoOn(answer)
  }

  /** True once a grant: the answer will soon need the next. */
  asksFor(answer: Answer): boolean {
    if (this.#hasAsked || this.#isFinal || this.prepared.outputTokens <= this.#grantedTokens) return false
    if (answer.generatedTokens < asksForMoreAt(this.#grantedTokens)) return false
    this.#hasAsked = true
    return true
  }

  /** Tokens of its prompts that were cached when they were begun, so far; undefined until the first is. */
  get cachedTokens(): number | undefined {
    return this.#prompts.size === 0 ? undefined : this.#total(({ cachedTokens }) => cachedTokens)
  }

  /** False until an answer to the same prompt has held a slot. */
  hasBegun({ prompt }: Answer): boolean {
    return this.#prompts.has(prompt)
  }

  /** The first answer to a prompt begins, with what is cached of it. */
  begin({ prompt, decoded }: Answer): void {
    this.#prompts.set(prompt, { cachedTokens: decoded, processedTokens: decoded })
  }

  /**
   * Notes how many of an answer's tokens are in the cache now; returns how many of them are prompt tokens that never were.
   * What has to be computed again after having been put off counts once.
   */
  noteProcessed({ prompt, decoded }: Answer): number {
    const begun = this.#prompts.get(prompt)
    if (begun === undefined) throw new Error('an answer was decoded that has not begun: this is a bug')
    const more = Math.max(0, Math.min(decoded, prompt.units.length) - begun.processedTokens)
    begun.processedTokens += more
    return more
  }

  /** Whose computed prompts it shares. */
  get cacheOwner(): string {
    return this.prepared.cacheOwner ?? this.accountId
  }

  /** The last event of a request whose answers are complete. */
  finish(): FinishEvent {
    const runs = this.prepared.answers[0]?.runs ?? []
    const imageTokens = runs.reduce((sum, { entries }) => sum + entries, 0)
    return { type: 'finish', usage: this.usage(), ...(imageTokens > 0 && { imageTokens }) }
  }

  /** What has been computed so far. */
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
