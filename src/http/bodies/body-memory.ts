import { ApiError } from '../../core/errors.ts'
import { FairQueue } from './fair-queue.ts'

export interface BodyMemoryOptions {
  /** Bytes of all bodies together from which on only one more is read at a time. */
  readonly budgetBytes: number
  /** The same within an account. */
  readonly accountBytes: number
  /** First bytes of each body that do not count: small ones never wait. */
  readonly freeBytes: number
  /** Most bodies of an account at a time, waiting ones included. */
  readonly accountBodies: number
}

/** What one body holds. */
export interface HeldBody {
  /** Resolves, or returns at once, when so many more bytes may be kept. */
  hold(bytes: number): Promise<void> | undefined
  /** Gives all of it back; a `hold` that waits never resolves. */
  release(): void
}

/** Bytes held in common, and the one body that may go beyond their limit: without it bodies could wait for each other. */
class Share {
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

interface Waiting {
  readonly own: Share
  readonly body: object
  readonly go: () => void
}

/**
 * The memory of bodies that are being read or parsed. Beyond the limits bodies wait in turns by account, unread: what
 * they have sent stays in the sockets' buffers. The most in use is the budget and one body, beside what is free, which the
 * number of bodies bounds.
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

  /** Throws ApiError 503 `overloaded` when the account has enough bodies open. */
  open(account: string): HeldBody {
    const own = this.#shareOf(account)
    if (own.bodies >= this.#options.accountBodies) throw tooManyBodies()
    own.bodies++
    const body = {}
    let heldBytes = 0
    let freeBytes = this.#options.freeBytes
    let leave: (() => void) | undefined
    const take = (bytes: number) => {
      heldBytes += bytes
      for (const share of [this.#all, own]) share.add(body, bytes)
    }
    return {
      hold: (bytes) => {
        const counted = Math.max(0, bytes - freeBytes)
        freeBytes = Math.max(0, freeBytes - bytes)
        if (counted === 0) return undefined
        if (this.#allows(own, body, false)) {
          take(counted)
          return undefined
        }
        return new Promise((resolve) => {
          const go = () => {
            leave = undefined
            take(counted)
            resolve()
          }
          leave = this.#queue.add(account, counted, { own, body, go })
          this.#admit()
        })
      },
      release: () => {
        leave?.()
        for (const share of [this.#all, own]) share.leave(body, heldBytes)
        if (--own.bodies === 0) this.#accounts.delete(account)
        this.#admit()
      },
    }
  }

  #admit(): void {
    const isAllowed = ({ own, body }: Waiting) => this.#allows(own, body, true)
    for (let next = this.#queue.take(isAllowed); next !== undefined; next = this.#queue.take(isAllowed)) next.go()
  }

  #allows(own: Share, body: object, isTurn: boolean): boolean {
    // The one that goes beyond the budget must end: everything else may be waiting for it.
    if (this.#all.isExempt(body)) return true
    return [this.#all, own].every((share) => share.allows(body, isTurn))
  }

  #shareOf(account: string): Share {
    const share = this.#accounts.get(account) ?? new Share(this.#options.accountBytes)
    this.#accounts.set(account, share)
    return share
  }
}

function tooManyBodies(): ApiError {
  const message = 'Too many requests of this account are being read already. Try again in a moment.'
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}
