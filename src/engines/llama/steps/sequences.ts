/**
 * The KV cache's sequences: which ones are busy, and which contents of earlier requests a new one can start from.
 *
 * In a unified cache every running answer pays for each occupied cell (3,000 idle ones made prompts a third slower on a
 * CPU), so an idle sequence keeps its contents only while no other one is busy. Otherwise they are parked in ordinary
 * memory, and restored when a prompt continues them. In separate caches idle contents cost nothing: they stay until
 * another prompt needs the place.
 */

import type { NativeContext } from '../native.ts'
import { moveState, type ParkedPrefix, ParkedPrefixes } from './parked-prefixes.ts'
import {
  canContinueFrom,
  type HeldPrefix,
  isWorthCopying,
  longestPrefix,
  mayContinueInPlace,
  type PrefixMatch,
} from './prefix-cache.ts'
import type { MoveWorth } from './processor.ts'
import { type PromptLayout, positionAt } from './prompt-layout.ts'

/** Fewer units are computed again faster than they are moved. */
const worthMovingUnits = 16

interface Sequence extends HeldPrefix {
  readonly index: number
  units: number[]
  /** Pictures of its contents. May include pictures that the sequence does not hold yet. */
  runs: PromptLayout['runs']
  accountId: string | undefined
  isBusy: boolean
  /** True if it holds a conversation that was continued, here or after being parked. */
  wasContinued: boolean
  /** Time at which its last answer ended. */
  usedMs: number
}

interface ReusedPrompt extends PromptLayout {
  /** Beginning for which cached contents may serve. Absent means all of it. */
  readonly reusable?: PromptLayout
}

interface SequencesOptions {
  readonly context: NativeContext
  readonly count: number
  readonly shareCache: boolean
  readonly isRecurrent: boolean
  /** Sliding window of the model's attention in tokens, 0 for none. Only the window is in the cache. */
  readonly slidingWindowTokens: number
  /** True if all sequences share one KV cache, in which copying a part takes no time and no memory. */
  readonly isUnified: boolean
  /** True if the layout of the cache may change, and states can move with it (`moveState`). Absent means false. */
  readonly movesStates?: boolean
  /** Memory for parked prefixes. 0 disables the reuse of other requests' prompts. */
  readonly parkedBytes: number
  /** Decides which prompts are parked. Absent parks all. */
  readonly moveWorth?: MoveWorth | undefined
  readonly nowMs?: () => number
}

export class Sequences {
  #options: SequencesOptions
  #sequences: readonly Sequence[]
  readonly #parked: ParkedPrefixes
  readonly #nowMs: () => number

  constructor(options: SequencesOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#parked = new ParkedPrefixes(options.parkedBytes)
    this.#sequences = emptySequences(options)
  }

  /** Switches to a new, empty context with another layout. No sequence may be busy. */
  moveTo({ context, count, isUnified }: Pick<SequencesOptions, 'context' | 'count' | 'isUnified'>): void {
    if (this.#sequences.some(({ isBusy }) => isBusy)) throw new Error('a busy sequence cannot move: this is a bug')
    this.#options = { ...this.#options, context, count, isUnified }
    this.#sequences = emptySequences(this.#options)
  }

  /** Units that all sequences hold, shared ones counted for each. */
  get heldUnits(): number {
    return this.#sequences.reduce((sum, { units }) => sum + units.length, 0)
  }

  /** True if all sequences share one KV cache. */
  get isUnified(): boolean {
    return this.#options.isUnified
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0
  }

  /** True if a prompt can start from the computed part of a running request, even after the request has gone on. */
  get sharesRunning(): boolean {
    const { isRecurrent, slidingWindowTokens, parkedBytes } = this.#options
    return !isRecurrent && slidingWindowTokens === 0 && parkedBytes > 0
  }

  /**
   * Reserves a sequence that holds as much of the prompt as is cached anywhere. Returns the sequence and that number of
   * units.
   *
   * 1. An idle sequence whose conversation the prompt continues is taken unchanged.
   * 2. Otherwise, or if more is cached elsewhere, an empty sequence gets a parked prefix, or a copy of a running
   *    request's computed part.
   */
  acquire(answer: ReusedPrompt, accountId: string): { sequence: number; reused: number } {
    if (this.#options.parkedBytes === 0) return { sequence: this.acquireEmpty(answer, accountId), reused: 0 }
    const prompt = answer.reusable ?? answer
    const inPlace = this.#continuable(prompt, accountId)
    if (this.#options.isUnified) this.parkIdle(inPlace?.held)
    else this.#parkForCopies(prompt, accountId, inPlace)
    const parked = this.#longest(this.#fitting, prompt, accountId)
    const running = this.#copyable(prompt, accountId)
    const elsewhere = Math.max(parked?.reuse ?? 0, running?.reuse ?? 0)
    if (inPlace !== undefined && inPlace.reuse >= elsewhere) {
      const reused = this.#cut(inPlace.held, inPlace.reuse, prompt)
      occupy(inPlace.held, prompt, accountId)
      inPlace.held.wasContinued = true
      return { sequence: inPlace.held.index, reused }
    }
    const sequence = this.acquireEmpty(prompt, accountId)
    const target = this.#at(sequence)
    if (elsewhere < worthMovingUnits) return { sequence, reused: 0 }
    if (running?.reuse === elsewhere) return { sequence, reused: this.#copyPart(running.held, target, elsewhere) }
    return { sequence, reused: parked === undefined ? 0 : this.#restore(parked.held, target, elsewhere) }
  }

  /** Reserves an empty sequence for a prompt: the first idle one, since batches over neighbours are the cheapest. */
  acquireEmpty(prompt: PromptLayout, accountId: string): number {
    this.parkBeside()
    const [first] = this.#idle
    if (first === undefined) throw new Error('acquire without an idle sequence: this is a bug')
    if (first.units.length > 0) this.park(first.index)
    occupy(first, prompt, accountId)
    return first.index
  }

  /** Records `units` decoded at the end of a sequence. */
  append(index: number, units: readonly number[]): void {
    const held = this.#at(index).units
    for (const unit of units) held.push(unit)
  }

  /**
   * Removes the last units of a sequence. Returns how many are left: 0 if the sequence could not continue from there.
   */
  takeBack(index: number, count: number): number {
    const sequence = this.#at(index)
    const rest = sequence.units.length - count
    // Recurrent memory decides itself whether it still has its earlier state.
    const rules = { ...this.#options, isRecurrent: false }
    return this.#cut(sequence, canContinueFrom(sequence, rest, sequence, rules) ? rest : 0, sequence)
  }

  /** Copies everything that a sequence holds to an empty one. */
  copy(source: number, target: number): void {
    this.#options.context.copySequence(source, target, 0, -1)
    this.#at(target).units = [...this.#at(source).units]
  }

  /** Releases the sequence of an ended answer. Its contents stay for the next one. */
  release(index: number): void {
    const sequence = this.#at(index)
    if (!sequence.isBusy) throw new Error(`sequence ${index} released twice: this is a bug`)
    sequence.isBusy = false
    sequence.usedMs = this.#nowMs()
  }

  /** Parks the contents of idle sequences if busy ones pay for them. */
  parkBeside(): void {
    if (this.#options.isUnified) this.parkIdle()
  }

  /** Parks the contents of idle sequences. */
  parkIdle(except?: object): void {
    for (const sequence of this.#idle) if (sequence.units.length > 0 && sequence !== except) this.park(sequence.index)
  }

  /** Empties a sequence. If memory allows, its content can be restored later. */
  park(index: number): void {
    const sequence = this.#at(index)
    const { units, runs, accountId, wasContinued } = sequence
    const usedMs = sequence.isBusy ? this.#nowMs() : sequence.usedMs
    const { context, moveWorth, parkedBytes, slidingWindowTokens } = this.#options
    if (units.length >= worthMovingUnits && parkedBytes > 0 && moveWorth?.isWorthIt() !== false) {
      // A saved state holds no more than the window.
      const windowStart = Math.max(0, positionAt(runs, units.length) - slidingWindowTokens)
      const sinceMs = this.#nowMs()
      const state = context.saveSequence(index)
      moveWorth?.noteSave(units.length, this.#nowMs() - sinceMs)
      this.#parked.add({ units, accountId, windowStart, state, usedMs, wasContinued })
    }
    this.#clear(sequence)
  }

  /** Returns everything that a later prompt could start from, the latest used first. No sequence may be busy. */
  handOver(): readonly ParkedPrefix[] {
    this.parkIdle()
    return this.#parked.all.toSorted((one, other) => other.usedMs - one.usedMs)
  }

  /** Parks a prompt handed over by an earlier process. It counts as older than the prompts here. */
  takeOver(prefix: ParkedPrefix): void {
    this.#parked.add(prefix)
  }

  get #idle(): Sequence[] {
    return this.#sequences.filter(({ isBusy }) => !isBusy)
  }

  /** Parked prefixes that fit into a sequence. */
  get #fitting(): readonly ParkedPrefix[] {
    const { context, count, isUnified } = this.#options
    const tokensEach = isUnified ? context.contextTokens : context.contextTokens / count
    return this.#parked.all.filter(({ units }) => units.length <= tokensEach)
  }

  #longest<Held extends HeldPrefix>(
    held: readonly Held[],
    prompt: PromptLayout,
    accountId: string,
  ): PrefixMatch<Held> | undefined {
    return longestPrefix(held, prompt, accountId, this.#options)
  }

  /**
   * Parks the idle sequence with the most of the prompt if no other source has as much: a parked prefix can be copied.
   */
  #parkForCopies(prompt: PromptLayout, accountId: string, inPlace: PrefixMatch<Sequence> | undefined): void {
    const idle = this.#longest(this.#idle, prompt, accountId)
    if (idle === undefined || idle.held === inPlace?.held || idle.reuse < worthMovingUnits) return
    const parked = this.#longest(this.#fitting, prompt, accountId)
    const running = this.#copyable(prompt, accountId)
    const elsewhere = Math.max(inPlace?.reuse ?? 0, parked?.reuse ?? 0, running?.reuse ?? 0)
    if (idle.reuse > elsewhere) this.park(idle.held.index)
  }

  /** Returns the idle sequence that the prompt may continue in place. */
  #continuable(prompt: PromptLayout, accountId: string): PrefixMatch<Sequence> | undefined {
    const match = this.#longest(this.#idle, prompt, accountId)
    return match !== undefined && mayContinueInPlace(match.held.units.length, match.reuse) ? match : undefined
  }

  /** Returns the busy sequence whose beginning can be copied. */
  #copyable(prompt: PromptLayout, accountId: string): PrefixMatch<Sequence> | undefined {
    const { isUnified, isRecurrent, slidingWindowTokens } = this.#options
    // A copy from another cache lacks everything before its window, so it cannot be cut.
    if (isRecurrent || (!isUnified && slidingWindowTokens > 0)) return undefined
    const busy = this.#sequences.filter(({ isBusy }) => isBusy)
    const match = this.#longest(busy, prompt, accountId)
    return match !== undefined && isWorthCopying(match.reuse, isUnified) ? match : undefined
  }

  #copyPart(source: Sequence, target: Sequence, reuse: number): number {
    this.#options.context.copySequence(source.index, target.index, 0, positionAt(target.runs, reuse))
    target.units = source.units.slice(0, reuse)
    return reuse
  }

  #restore(prefix: ParkedPrefix, target: Sequence, reuse: number): number {
    const { context, count, isUnified, movesStates = false } = this.#options
    const state = movesStates ? moveState(prefix.state, isUnified ? 1 : count) : prefix.state
    if (!context.restoreSequence(target.index, state)) {
      this.#clear(target) // no room beside running sequences
      return 0
    }
    this.#parked.touch(prefix, this.#nowMs())
    target.units = [...prefix.units]
    target.wasContinued = mayContinueInPlace(prefix.units.length, reuse)
    return this.#cut(target, reuse, target)
  }

  /** Keeps the first `reuse` units, which match the prompt. Returns the number actually kept. */
  #cut(sequence: Sequence, reuse: number, { runs }: Pick<PromptLayout, 'runs'>): number {
    const { context } = this.#options
    if (reuse < sequence.units.length && !context.removeSequence(sequence.index, positionAt(runs, reuse), -1)) {
      this.#clear(sequence)
      return 0
    }
    sequence.units.length = reuse
    return reuse
  }

  #clear(sequence: Sequence): void {
    this.#options.context.removeSequence(sequence.index, 0, -1)
    sequence.units = []
    sequence.wasContinued = false
  }

  #at(index: number): Sequence {
    const sequence = this.#sequences[index]
    if (sequence === undefined) throw new Error(`sequence ${index} does not exist: this is a bug`)
    return sequence
  }
}

function emptySequences({ context, count }: SequencesOptions): Sequence[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    units: [],
    runs: [],
    accountId: undefined,
    isBusy: false,
    wasContinued: false,
    usedMs: 0,
    get windowStart() {
      return context.minPosition(index)
    },
  }))
}

function occupy(sequence: Sequence, { runs }: PromptLayout, accountId: string): void {
  sequence.isBusy = true
  sequence.runs = runs
  sequence.accountId = accountId
}
