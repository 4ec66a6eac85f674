import type { Answer } from '../answer/answer.ts'
import type { GrantedRequest } from './granted-request.ts'
import { isWorthCopying, longestPrefix } from './prefix-cache.ts'
import { isScored } from './scored-prompts.ts'
import type { SlotHolder } from './slot-sharing.ts'

/** Beginning of a prompt that another answer is computing, in units. */
interface AwaitedBeginning {
  readonly leader: Slot
  readonly units: number
}

/** Answer that holds a sequence. */
export class Slot implements SlotHolder {
  readonly request: GrantedRequest
  readonly answer: Answer
  sequence: number
  isFollower: boolean
  /** Beginning that it waits for. Until then it takes part in no step. */
  awaited: AwaitedBeginning | undefined
  /** Slots that wait for this one. */
  followers: readonly Slot[] = []
  /** Number of the last step that it took part in. */
  lastStep = 0
  readonly #generatedBefore: number

  constructor(request: GrantedRequest, answer: Answer, sequence: number, isFollower: boolean) {
    this.request = request
    this.answer = answer
    this.sequence = sequence
    this.isFollower = isFollower
    this.#generatedBefore = answer.generatedTokens
  }

  /** True if it takes part in the next step. */
  get isWorking(): boolean {
    return !this.waitsForAnother && this.request.mayGoOn(this.answer)
  }

  get waitsForAnother(): boolean {
    return this.isFollower || this.awaited !== undefined
  }

  /** Returns whether it is decoding a prompt with which this answer of the request begins too. */
  leads(request: GrantedRequest, { prompt }: Answer): boolean {
    if (this.request !== request || this.answer.prompt !== prompt) return false
    return !this.isFollower && this.answer.generatedTokens === 0
  }

  /** Owner of the computed prompts that it shares. */
  get cacheOwner(): string {
    return this.request.cacheOwner
  }

  get accountId(): string {
    return this.request.accountId
  }

  get tokens(): number {
    return this.answer.units.length
  }

  get turnTokens(): number {
    return this.answer.generatedTokens - this.#generatedBefore
  }

  /** False for a scored prompt, which gives way each time: it generates nothing, so its turn would never be over. */
  get wasParked(): boolean {
    return this.request.parked.has(this.answer) && !isScored(this)
  }
}

/** Minimum units to wait for. For fewer, the step that the answer misses costs more than it saves. */
const worthAwaitingUnits = 64

/** Rules of a cache whose sequences can be cut anywhere. All caches that share running sequences are such. */
const anywhere = { shareCache: false, isRecurrent: false, slidingWindowTokens: 0 }

/**
 * Returns the beginning that `slot` should wait for; undefined if no running answer will soon have more of its prompt
 * than it has. If prompts that begin alike come at the same time, like those of agents with one system prompt, one
 * computes the beginning and the others copy it: all are answered sooner than if each computed it. Only requests of one
 * account wait for each other, so that none depends on how fast another account is served, and none for a scored prompt,
 * which is read slowly. `isUnified`: all sequences share one KV cache.
 */
export function awaitedBeginning(slot: Slot, taken: readonly Slot[], isUnified: boolean): AwaitedBeginning | undefined {
  const running = taken
    .filter((other) => other !== slot && other.isWorking && !isScored(other))
    .map((leader) => ({ leader, units: leader.answer.units, accountId: leader.cacheOwner, windowStart: 0 }))
  const match = longestPrefix(running, slot.answer.reusable, slot.cacheOwner, anywhere)
  if (match === undefined || match.reuse - slot.answer.decoded < worthAwaitingUnits) return undefined
  const { leader } = match.held
  if (!isWorthCopying(match.reuse, isUnified)) return undefined
  return leader.answer.decoded < match.reuse ? { leader, units: match.reuse } : undefined
}

/**
 * Returns whether the beginning is still being computed: false once it is done, or if its leader has ended, lost its
 * slot or waits itself.
 */
export function isComing({ leader, units }: AwaitedBeginning, taken: readonly Slot[]): boolean {
  return taken.includes(leader) && leader.isWorking && leader.answer.decoded < units
}
