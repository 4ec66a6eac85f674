import { asksForMoreAt } from '../protocol/request-events.ts'

/** Holds an answer back at the end of its grant. */
export class GrantGate {
  readonly #limitTokens: number
  readonly #askForMore: () => void
  #grant: { readonly tokens: number; readonly isFinal: boolean } | undefined
  #hasAsked = false
  #tokens = 0
  /** True once the answer computes nothing more. */
  isClosed = false
  #moved = Promise.withResolvers<void>()

  /** `limitTokens` is the length at which the answer ends even if granted more. */
  constructor(limitTokens: number, askForMore: () => void) {
    this.#limitTokens = limitTokens
    this.#askForMore = askForMore
  }

  /** Grants the answer `tokens` in total. */
  give(tokens: number, isFinal: boolean): void {
    this.#grant = { tokens: Math.max(tokens, this.#grant?.tokens ?? 0), isFinal }
    this.#hasAsked = false
    this.#askIfNear()
    this.#move()
  }

  close(): void {
    this.isClosed = true
    this.#move()
  }

  /** Resolves at the first grant, or once the gate closes. */
  async opened(): Promise<void> {
    while (this.#grant === undefined && !this.isClosed) await this.#moved.promise
  }

  /** Resolves once the gate closes. */
  async closed(): Promise<void> {
    while (!this.isClosed) await this.#moved.promise
  }

  /** Records the answer's current number of tokens. */
  note(tokens: number): void {
    this.#tokens = tokens
    this.#askIfNear()
  }

  /** Returns whether another token may follow. At the end of a grant, waits for the next one. */
  async goesOn(): Promise<boolean> {
    if (this.#tokens >= this.#limitTokens) return false
    while (!this.isClosed && this.#grant?.isFinal !== true && !this.#hasRoom()) await this.#moved.promise
    return !this.isClosed && this.#hasRoom()
  }

  #hasRoom(): boolean {
    return this.#grant !== undefined && this.#tokens < this.#grant.tokens
  }

  #askIfNear(): void {
    if (this.#grant === undefined || this.#grant.isFinal || this.#hasAsked) return
    if (this.#limitTokens <= this.#grant.tokens || this.#tokens < asksForMoreAt(this.#grant.tokens)) return
    this.#hasAsked = true
    this.#askForMore()
  }

  #move(): void {
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }
}
