/** The KV cache's sequences: who runs in which, and what each still holds for the next request. */
import type { NativeContext } from './native.ts'
import { type CachedSequence, choosePrefix, leastRecentlyUsedIdle } from './prefix-cache.ts'

interface Sequence extends CachedSequence {
  tokens: number[]
  accountId: string | undefined
  busy: boolean
  lastUsedStep: number
}

export interface SequencesOptions {
  readonly context: NativeContext
  readonly count: number
  readonly shareCache: boolean
  readonly isRecurrent: boolean
  /** Sliding window of the model's attention in tokens, 0 for none. */
  readonly slidingWindowTokens: number
}

export class Sequences {
  readonly #options: SequencesOptions
  readonly #sequences: Sequence[]

  constructor(options: SequencesOptions) {
    this.#options = options
    this.#sequences = Array.from({ length: options.count }, () => ({
      tokens: [],
      accountId: undefined,
      busy: false,
      lastUsedStep: 0,
    }))
  }

  get idle(): number {
    return this.#sequences.filter((sequence) => !sequence.busy).length
  }

  /** Reserves a sequence that holds as much of the prompt as any does; says how many tokens that is. */
  acquire(prompt: ArrayLike<number>, accountId: string): { sequence: number; reused: number } {
    const { shareCache, isRecurrent } = this.#options
    const choice = choosePrefix(this.#sequences, prompt, accountId, { shareCache, canCut: !isRecurrent })
    if (choice === undefined) throw new Error('acquire without an idle sequence: this is a bug')
    const reused = this.#prepare(choice.source, choice.target, choice.reuse)
    this.#occupy(choice.target, accountId)
    return { sequence: choice.target, reused }
  }

  /** Reserves an empty sequence. */
  acquireEmpty(accountId: string): number {
    const index = leastRecentlyUsedIdle(this.#sequences)
    if (index === undefined) throw new Error('acquireEmpty without an idle sequence: this is a bug')
    this.clear(index)
    this.#occupy(index, accountId)
    return index
  }

  /** Notes that `tokens` were decoded at the end of a sequence. */
  append(index: number, tokens: readonly number[]): void {
    const held = this.#at(index).tokens
    for (const token of tokens) held.push(token)
  }

  /** Gives an empty sequence everything another holds; unified memory shares the cells, so this is cheap. */
  copy(source: number, target: number): void {
    const { tokens } = this.#at(source)
    this.#options.context.copySequence(source, target, 0, tokens.length)
    this.#at(target).tokens = [...tokens]
  }

  /** The request in it has ended; its tokens stay for the next one. */
  release(index: number, step: number): void {
    const sequence = this.#at(index)
    if (!sequence.busy) throw new Error(`sequence ${index} released twice: this is a bug`)
    sequence.busy = false
    sequence.lastUsedStep = step
  }

  clear(index: number): void {
    this.#options.context.removeSequence(index, 0, -1)
    this.#at(index).tokens = []
  }

  /** Frees the idle sequence that was used least recently. False when no idle one holds anything. */
  evictIdle(): boolean {
    const holding = this.#sequences.map((sequence) => ({
      ...sequence,
      busy: sequence.busy || sequence.tokens.length === 0,
    }))
    const index = leastRecentlyUsedIdle(holding)
    if (index === undefined) return false
    this.clear(index)
    return true
  }

  /** Makes `target` hold exactly the first `reuse` tokens of `source`; returns how many it really holds. */
  #prepare(source: number, target: number, reuse: number): number {
    const { context, slidingWindowTokens } = this.#options
    // A sliding window has forgotten what lies before it: a prefix that needs it can not be continued.
    const isForgotten =
      slidingWindowTokens > 0 && context.minPosition(source) > Math.max(0, reuse - slidingWindowTokens)
    const kept = reuse > 0 && !isForgotten ? reuse : 0
    if (kept === 0) {
      this.clear(target)
      return 0
    }
    const held = this.#at(source).tokens
    if (source === target) {
      if (kept < held.length && !context.removeSequence(target, kept, -1)) {
        this.clear(target)
        return 0
      }
    } else {
      this.clear(target)
      context.copySequence(source, target, 0, kept)
    }
    this.#at(target).tokens = held.slice(0, kept)
    return kept
  }

  #occupy(index: number, accountId: string): void {
    const sequence = this.#at(index)
    sequence.busy = true
    sequence.accountId = accountId
  }

  #at(index: number): Sequence {
    const sequence = this.#sequences[index]
    if (sequence === undefined) throw new Error(`sequence ${index} does not exist: this is a bug`)
    return sequence
  }
}
