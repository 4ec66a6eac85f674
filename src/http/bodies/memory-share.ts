/** Bytes that bodies share within a limit, which one body at a time may exceed: else they could wait for each other. */
export class MemoryShare {
  readonly #limitBytes: number
  #exempt: object | undefined
  heldBytes = 0
  bodies = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  isExempt(body: object): boolean {
    return this.#exempt === body
  }

  allows(body: object, isTurn: boolean): boolean {
    return this.heldBytes < this.#limitBytes || this.isExempt(body) || (isTurn && this.#exempt === undefined)
  }

  add(body: object, bytes: number): void {
    if (this.heldBytes >= this.#limitBytes) this.#exempt = body
    this.heldBytes += bytes
  }

  leave(body: object, bytes: number): void {
    if (this.#exempt === body) this.#exempt = undefined
    this.heldBytes -= bytes
  }
}
