import { FairQueue } from './fair-queue.ts'

export interface BodyMemoryOptions {
  /** Bytes of all bodies together from which on only one more is read at a time. */
  readonly budgetBytes: number
  /** The same within an account. */
  readonly accountBytes: number
  /** First bytes of each body that do not count: small ones never wait. */
  readonly freeBytes: number
}

/** What one body holds. */
export interface HeldBody {
  /** Resolves, or returns at once, when so many more bytes may be kept. */
  hold(bytes: number): Promise<void> | undefined
  /** Gives all of it back; a `hold` that waits never resolves. */
  release(): void
}

interface Waiting {
  readonly account: string
  readonly body: object
  readonly go: () => void
}

/** Bytes held in common, and the one body that may go beyond their limit: without it bodies could wait for each other. */
class Share {
  readonly #limitBytes: number
  #exempt: object | undefined
  heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  allows(body: object, isTurn: boolean): boolean {
    return this.heldBytes < this.#limitBytes || this.#exempt === body || (isTurn && this.#exempt === undefined)
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

/**
 * The memory of bodies that are being read or parsed. Beyond the limits bodies wait in turns by account, unread: what
 * they have sent stays in the sockets' buffers. The most in use is the budget and one body, beside what is free.
 */
export class BodyMemory {
  readonly #options: BodyMemoryOptions
  readonly #queue = new FairQueue<Waiting>()
  readonly #all: Share
  readonly #accounts = new Map<string, Share>()

  constructor(options: BodyMemoryOptions) {
    this.#options = options
    this.#all = new Share(options.budgetBytes)
  }

  open(account: string): HeldBody {
    const body = {}
    let heldBytes = 0
    let freeBytes = this.#options.freeBytes
    let leave: (() => void) | undefined
    const take = (bytes: number) => {
      heldBytes += bytes
      for (const share of this.#sharesOf(account)) share.add(body, bytes)
    }
    return {
      hold: (bytes) => {
        const counted = Math.max(0, bytes - freeBytes)
        freeBytes = Math.max(0, freeBytes - bytes)
        if (counted === 0) return undefined
        if (this.#allows(account, body, false)) {
          take(counted)
          return undefined
        }
        return new Promise((resolve) => {
          const go = () => {
            leave = undefined
            take(counted)
            resolve()
          }
          leave = this.#queue.add(account, counted, { account, body, go })
          this.#admit()
        })
      },
      release: () => {
        leave?.()
        const [all, own] = this.#sharesOf(account)
        all.leave(body, heldBytes)
        own.leave(body, heldBytes)
        heldBytes = 0
        if (own.heldBytes === 0) this.#accounts.delete(account)
        this.#admit()
      },
    }
  }

  #admit(): void {
    const isAllowed = ({ account, body }: Waiting) => this.#allows(account, body, true)
    for (let next = this.#queue.take(isAllowed); next !== undefined; next = this.#queue.take(isAllowed)) next.go()
  }

  #allows(account: string, body: object, isTurn: boolean): boolean {
    return this.#sharesOf(account).every((share) => share.allows(body, isTurn))
  }

  #sharesOf(account: string): [all: Share, own: Share] {
    let own = this.#accounts.get(account)
    if (own === undefined) {
      own = new Share(this.#options.accountBytes)
      this.#accounts.set(account, own)
    }
    return [this.#all, own]
  }
}
