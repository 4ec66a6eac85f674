import type { Answer } from '../answer/answer.ts'
import type { GrantedRequest } from './granted-request.ts'
import type { SlotHolder } from './slot-sharing.ts'

/** Beginning of a prompt that another answer is computing, in units. */
export interface AwaitedBeginning {
  readonly leader: Slot
  readonly units: number
}

/** Answer that holds a sequence. */
export class Slot implements SlotHolder {
  readonly request: GrantedRequest
  readonly answer: Answer
  sequence: number
  isFollower: boolean
  /** Beginning that it waits for. It takes part in no step until then. */
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

  /** Returns whether it is decoding the prompt that this answer of the request begins with too. */
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

  get wasParked(): boolean {
    return this.request.parked.has(this.answer)
  }
}
