/** The slots: answers that hold a sequence of the KV cache, and answers that wait for one. */
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'
import type { Answer } from '../answer/answer.ts'
import type { GrantedRequest } from './granted-request.ts'
import type { Sequences } from './sequences.ts'
import { awaitedBeginning, isComing, Slot } from './slot.ts'
import { nextSlotMove } from './slot-sharing.ts'

/** Cost of a slot, the same for all. */
const turnCost = 1

interface Waiting {
  readonly request: GrantedRequest
  readonly answer: Answer
}

export class Slots {
  readonly #sequences: Sequences
  readonly #onPlaced: (request: GrantedRequest, answer: Answer) => void
  readonly #waiting = new WeightedFairQueue<Waiting>()
  /** Functions that take waiting answers out of the queue. */
  readonly #leaving = new WeakMap<Answer, () => void>()
  #taken: readonly Slot[] = []
  /** True after the cache overflowed: no answer is admitted before a slot has been released. */
  #isFull = false

  /** `onPlaced` is called when an answer gets a slot, with the cached part of its prompt; not for followers. */
  constructor(sequences: Sequences, onPlaced: (request: GrantedRequest, answer: Answer) => void) {
    this.#sequences = sequences
    this.#onPlaced = onPlaced
  }

  get taken(): readonly Slot[] {
    return this.#taken
  }

  /** True if a waiting answer has its turn for a slot: `admit` would place it. */
  get hasTurn(): boolean {
    return this.#waiting.size > 0 && this.#nextMove() !== undefined
  }

  get working(): readonly Slot[] {
    return this.#taken.filter((slot) => slot.isWorking)
  }

  /** Queues the answers of a new request. */
  add(request: GrantedRequest): void {
    for (const answer of request.prepared.answers) this.#enqueue(request, answer)
  }

  /** Queues the answers that a new grant lets go on, ahead of all others. */
  resume(request: GrantedRequest): void {
    for (const answer of [...request.ungranted].reverse()) {
      if (!request.mayGoOn(answer)) continue
      request.ungranted.delete(answer)
      this.#putBack(request, answer)
    }
  }

  /** Takes the request's answers out of the queue. The slots that it holds are freed by `releaseEnded`. */
  remove(request: GrantedRequest): void {
    for (const answer of request.prepared.answers) this.#leaving.get(answer)?.()
  }

  /**
   * Gives slots to the answers whose turn it is, taking them from accounts that hold more than their share. Then lets
   * those answers continue whose awaited beginning is there.
   */
  admit(): void {
    this.#placeWaiting()
    for (const slot of this.#taken) {
      if (slot.awaited !== undefined && !isComing(slot.awaited, this.#taken)) this.#beginAgain(slot)
    }
  }

  #placeWaiting(): void {
    while (this.#waiting.size > 0) {
      const move = this.#nextMove()
      if (move?.kind === 'place') this.#placeNext(move.accountId)
      else if (move?.kind === 'park') this.#park(move.holder)
      else if (!this.#putOffPaused()) return
    }
  }

  #nextMove() {
    const hasRoom = !this.#isFull && this.#sequences.hasIdle
    return nextSlotMove({ hasRoom, holders: this.#taken, waiting: this.#waiting.accounts() })
  }

  /** Copies the decoded part of a slot to its followers. */
  startFollowers(leader: Slot): void {
    for (const follower of leader.followers) {
      this.#sequences.copy(leader.sequence, follower.sequence)
      follower.answer.decoded = leader.answer.decoded
      follower.isFollower = false
    }
    leader.followers = []
  }

  /**
   * Makes room in a cache that is too full for the next batch. Puts off an answer that waits for a grant, else the one
   * placed last: it gives its cells back, and continues when another has ended. If only one slot is left, returns that
   * instead: its answer has reached its end.
   */
  makeRoom(): Slot | undefined {
    const holders = this.#taken.filter((slot) => !slot.isFollower)
    const last = holders.findLast((slot) => !slot.isWorking) ?? holders.at(-1)
    if (last === undefined) throw new Error('the cache is full of nothing: this is a bug')
    if (holders.length === 1) {
      if (last.followers.length > 0) throw new Error('a prompt does not fit the cache: this is a bug')
      return last
    }
    this.#putOff(last)
    this.#isFull = true
    return undefined
  }

  /**
   * Takes all slots back before a new cache replaces the present one. Their answers are placed again in the same order.
   */
  vacateAll(): void {
    for (const slot of this.#taken.toReversed()) if (!slot.isFollower) this.#putOff(slot)
  }

  /** Frees the slot of an answer, if it holds one. The decoded prefix stays for later requests. */
  releaseAnswer(answer: Answer): void {
    const slot = this.#taken.find((candidate) => candidate.answer === answer)
    if (slot !== undefined) this.#release(slot)
  }

  /** Frees the slots of requests that failed or were cancelled. */
  releaseEnded(): void {
    for (const slot of this.#taken) if (slot.request.isOver) this.#release(slot)
  }

  #enqueue(request: GrantedRequest, answer: Answer): void {
    this.#wait(request, answer, (waiting) => this.#waiting.add(request.accountId, turnCost, waiting))
  }

  /** Queues an answer that has had a slot, ahead of all others or at the cost of another turn. */
  #putBack(request: GrantedRequest, answer: Answer, cost?: number): void {
    this.#wait(request, answer, (waiting) => this.#waiting.putBack(request.accountId, waiting, cost))
  }

  #wait(request: GrantedRequest, answer: Answer, join: (waiting: Waiting) => () => void): void {
    if (request.mayGoOn(answer)) this.#leaving.set(answer, join({ request, answer }))
    else request.ungranted.add(answer)
  }

  #placeNext(accountId: string): void {
    const next = this.#waiting.takeFrom(accountId)
    if (next === undefined) throw new Error('an account without waiting answers has its turn: this is a bug')
    const { request, answer } = next
    const leader = answer.generatedTokens === 0 ? this.#taken.find((slot) => slot.leads(request, answer)) : undefined
    if (leader !== undefined) {
      const follower = new Slot(request, answer, this.#sequences.acquireEmpty(answer, request.cacheOwner), true)
      leader.followers = [...leader.followers, follower]
      this.#taken = [...this.#taken, follower]
      return
    }
    const { sequence, reused } = this.#sequences.acquire(answer, request.cacheOwner)
    answer.decoded = reused
    const slot = new Slot(request, answer, sequence, false)
    this.#taken = [...this.#taken, slot]
    this.#begin(slot)
  }

  /** Starts from the cached part of the prompt, or waits while another answer computes more of it. */
  #begin(slot: Slot): void {
    const { sharesRunning, isUnified } = this.#sequences
    slot.awaited = sharesRunning ? awaitedBeginning(slot, this.#taken, isUnified) : undefined
    if (slot.awaited === undefined) this.#onPlaced(slot.request, slot.answer)
  }

  /** Places an answer again once the beginning that it waited for is there, or will not come. */
  #beginAgain(slot: Slot): void {
    this.#sequences.release(slot.sequence)
    const { sequence, reused } = this.#sequences.acquire(slot.answer, slot.cacheOwner)
    slot.sequence = sequence
    slot.answer.decoded = reused
    this.#begin(slot)
  }

  /**
   * Puts off a paused answer if no answer is working: a waiting one may work in its slot. Returns whether there was
   * one.
   */
  #putOffPaused(): boolean {
    const paused = this.#taken.findLast((slot) => !slot.isFollower)
    if (paused === undefined || this.#taken.some((slot) => slot.isWorking)) return false
    this.#putOff(paused)
    return true
  }

  /** Puts off a slot. Its answers are placed again before all others. */
  #putOff(slot: Slot): void {
    for (const { request, answer } of this.#vacate(slot)) this.#putBack(request, answer)
  }

  /** Parks a slot. Its answers are placed again at their account's turn. */
  #park(slot: Slot): void {
    for (const { request, answer, isFollower } of this.#vacate(slot)) {
      if (!isFollower) request.parked.add(answer)
      this.#putBack(request, answer, turnCost)
    }
  }

  /** Frees a slot and its followers' slots. Returns them, the last one first. */
  #vacate(slot: Slot): Slot[] {
    const leader = this.#taken.find(({ followers }) => followers.includes(slot))
    if (leader !== undefined) leader.followers = leader.followers.filter((follower) => follower !== slot)
    const members = [slot, ...slot.followers].reverse()
    for (const member of members) {
      this.#sequences.park(member.sequence)
      this.#release(member)
      member.answer.decoded = 0
    }
    return members
  }

  #release(slot: Slot): void {
    this.#sequences.release(slot.sequence)
    this.#taken = this.#taken.filter((other) => other !== slot)
    this.#isFull = false
  }
}
