/**
 * The KV cache's sequences: who runs in which, and what of earlier requests a new one can start from.
 *
 * An idle sequence keeps its tokens in place only as long as nobody else runs: on a CPU every running answer pays for
 * each occupied cell (3,000 idle ones made prompts a third slower), so what is kept beside running answers is parked in
 * ordinary memory, and brought back when a prompt continues it.
 */
import type { NativeContext } from './native.ts'
import { type ParkedPrefix, ParkedPrefixes } from './parked-prefixes.ts'
import { longestPrefix, mayContinueInPlace, type PrefixMatch } from './prefix-cache.ts'

/** Fewer tokens are computed again faster than they are moved. */
const worthMovingTokens = 16

interface Sequence {
  tokens: number[]
  accountId: string | undefined
  busy: boolean
}

export interface SequencesOptions {
  readonly context: NativeContext
  readonly count: number
  readonly shareCache: boolean
  readonly isRecurrent: boolean
  /** Sliding window of the model's attention in tokens, 0 for none. */
  readonly slidingWindowTokens: number
  /** All sequences lie in one KV cache: parts of one can be copied to another for nothing. */
  readonly isUnified: boolean
  /** Memory for parked prefixes; 0: no request starts from what another has computed. */
  readonly parkedBytes: number
}

export class Sequences {
  readonly #options: SequencesOptions
  readonly #sequences: Sequence[]
  readonly #parked: ParkedPrefixes

  constructor(options: SequencesOptions) {
    this.#options = options
    this.#parked = new ParkedPrefixes(options.parkedBytes)
    this.#sequences = Array.from({ length: options.count }, () => ({ tokens: [], accountId: undefined, busy: false }))
  }

  get idle(): number {
    return this.#sequences.filter((sequence) => !sequence.busy).length
  }

  /**
   * Reserves a sequence that holds as much of the prompt as is cached anywhere; says how many tokens that is.
   * 1. An idle sequence whose conversation the prompt continues is taken as it is.
   * 2. Else, or when more is cached elsewhere, an empty one: it gets a parked prefix, or a copy of what a running
   *    request has computed.
   */
  acquire(prompt: ArrayLike<number>, accountId: string): { sequence: number; reused: number } {
    if (this.#options.parkedBytes === 0) return { sequence: this.acquireEmpty(accountId), reused: 0 }
    const inPlace = this.#continuable(prompt, accountId)
    this.parkIdle(inPlace?.index)
    const parked = this.#parkedMatch(prompt, accountId)
    const running = this.#running(prompt, accountId)
    const elsewhere = Math.max(parked?.reuse ?? 0, running?.reuse ?? 0)
    if (inPlace !== undefined && inPlace.reuse >= elsewhere) {
      const reused = this.#cut(inPlace.index, inPlace.reuse)
      this.#occupy(inPlace.index, accountId)
      return { sequence: inPlace.index, reused }
    }
    const sequence = this.acquireEmpty(accountId)
    if (elsewhere < worthMovingTokens) return { sequence, reused: 0 }
    if (running !== undefined && running.reuse === elsewhere) {
      return { sequence, reused: this.#copyPart(running.index, sequence, running.reuse) }
    }
    return { sequence, reused: parked === undefined ? 0 : this.#restore(parked.prefix, sequence, parked.reuse) }
  }

  /** Reserves an empty sequence: the first idle one, since batches over neighbours are the cheapest. */
  acquireEmpty(accountId: string): number {
    this.parkIdle()
    const index = this.#sequences.findIndex((sequence) => !sequence.busy)
    if (index < 0) throw new Error('acquire without an idle sequence: this is a bug')
    this.#occupy(index, accountId)
    return index
  }

  /** Notes that `tokens` were decoded at the end of a sequence. */
  append(index: number, tokens: readonly number[]): void {
    const held = this.#at(index).tokens
    for (const token of tokens) held.push(token)
  }

  /** Gives an empty sequence everything another holds. */
  copy(source: number, target: number): void {
    this.#options.context.copySequence(source, target, 0, -1)
    this.#at(target).tokens = [...this.#at(source).tokens]
  }

  /** The request in it has ended; its tokens stay for the next one. */
  release(index: number): void {
    const sequence = this.#at(index)
    if (!sequence.busy) throw new Error(`sequence ${index} released twice: this is a bug`)
    sequence.busy = false
  }

  /** Empties the idle sequences for the sake of those that run. */
  parkIdle(except?: number): void {
    this.#sequences.forEach((sequence, index) => {
      if (!sequence.busy && sequence.tokens.length > 0 && index !== except) this.park(index)
    })
  }

  /** Empties a sequence; what it held can be brought back while there is memory for it. */
  park(index: number): void {
    const { tokens, accountId } = this.#at(index)
    if (tokens.length >= worthMovingTokens && accountId !== undefined && this.#options.parkedBytes > 0) {
      this.#parked.add({ tokens, accountId, state: this.#options.context.saveSequence(index) })
    }
    this.#clear(index)
  }

  get #rules() {
    return { shareCache: this.#options.shareCache, canCut: !this.#options.isRecurrent }
  }

  /** The prefix itself and not its place, which changes whenever something is parked. */
  #parkedMatch(prompt: ArrayLike<number>, accountId: string): { prefix: ParkedPrefix; reuse: number } | undefined {
    const { all } = this.#parked
    const match = longestPrefix(all, prompt, accountId, this.#rules)
    const prefix = match === undefined ? undefined : all[match.index]
    return match === undefined || prefix === undefined ? undefined : { prefix, reuse: match.reuse }
  }

  /** The idle sequence that the prompt may continue where it lies. */
  #continuable(prompt: ArrayLike<number>, accountId: string): PrefixMatch | undefined {
    const idle = this.#sequences.map((sequence) => (sequence.busy ? nothing : sequence))
    const match = longestPrefix(idle, prompt, accountId, this.#rules)
    if (match === undefined) return undefined
    return mayContinueInPlace(this.#at(match.index).tokens.length, match.reuse) ? match : undefined
  }

  /** The running sequence whose beginning can be copied. */
  #running(prompt: ArrayLike<number>, accountId: string): PrefixMatch | undefined {
    if (!this.#options.isUnified || this.#options.isRecurrent) return undefined
    const busy = this.#sequences.map((sequence) => (sequence.busy ? sequence : nothing))
    return longestPrefix(busy, prompt, accountId, this.#rules)
  }

  #copyPart(source: number, target: number, reuse: number): number {
    this.#options.context.copySequence(source, target, 0, reuse)
    this.#at(target).tokens = this.#at(source).tokens.slice(0, reuse)
    return this.#unlessForgotten(target, reuse)
  }

  #restore(prefix: ParkedPrefix, target: number, reuse: number): number {
    if (!this.#options.context.restoreSequence(target, prefix.state)) {
      this.#clear(target) // no room for it among those that run
      return 0
    }
    this.#parked.touch(prefix)
    this.#at(target).tokens = [...prefix.tokens]
    return this.#cut(target, reuse)
  }

  /** Leaves the first `reuse` tokens; returns how many are really left. */
  #cut(index: number, reuse: number): number {
    const sequence = this.#at(index)
    if (reuse < sequence.tokens.length && !this.#options.context.removeSequence(index, reuse, -1)) {
      this.#clear(index)
      return 0
    }
    sequence.tokens.length = reuse
    return this.#unlessForgotten(index, reuse)
  }

  /** A sliding window has forgotten what lies before it: a prefix that needs it can not be continued. */
  #unlessForgotten(index: number, reuse: number): number {
    const { context, slidingWindowTokens } = this.#options
    if (slidingWindowTokens === 0 || context.minPosition(index) <= Math.max(0, reuse - slidingWindowTokens))
      return reuse
    this.#clear(index)
    return 0
  }

  #clear(index: number): void {
    this.#options.context.removeSequence(index, 0, -1)
    this.#at(index).tokens = []
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

/** Matches no prompt. */
const nothing = { tokens: [], accountId: undefined }
