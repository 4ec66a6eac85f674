import type { PaidRequestRecord } from '../core/request-record.ts'
import type { Till } from './bill.ts'

interface JoinedTillOptions {
  readonly isClientGone: () => boolean
  /** Called with each settled step. Must not throw. */
  readonly onSettled: (step: PaidRequestRecord) => void
}

/**
 * Till of a request with earlier steps that are paid together with it or not at all. Each step holds its money like a
 * request, and its record waits for the settlement of the whole. A client that leaves before the request itself has
 * begun pays for its steps. Dispose of it when the request has ended.
 */
export class JoinedTill implements AsyncDisposable {
  readonly #till: Till
  readonly #options: JoinedTillOptions
  #waiting: readonly PaidRequestRecord[] = []
  #settledNanoUsd = 0

  constructor(till: Till, options: JoinedTillOptions) {
    this.#till = till
    this.#options = options
  }

  /** Cost of the steps in nano-USD, 0 until they are settled. */
  get costNanoUsd(): number {
    return this.#settledNanoUsd
  }

  /** Till for the steps. A failed one is settled at once, since it costs nothing. */
  get ofSteps(): Till {
    return {
      ...this.#passed(),
      settle: async (record) => {
        if (record.finish === 'failed') return await this.#till.settle(record)
        this.#waiting = [...this.#waiting, record]
        return { chargedNanoUsd: record.chargedNanoUsd, balanceNanoUsd: 0 }
      },
      drop: (requestId) => this.#till.drop(requestId),
      abandon: (requestId) => this.#till.abandon(requestId),
    }
  }

  /** Till for the request itself. If it fails, its steps cost nothing either. */
  get ofRequest(): Till {
    return {
      ...this.#passed(),
      settle: async (record) => {
        if (record.finish === 'failed') await this.#release()
        const steps = this.#waiting
        const settled = await this.#till.settle(record, steps)
        this.#waiting = []
        this.#settledNanoUsd = steps.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0)
        steps.forEach(this.#options.onSettled)
        return settled
      },
      drop: async (requestId) => {
        await this.#end()
        await this.#till.drop(requestId)
      },
      abandon: (requestId) => {
        this.#abandon(this.#takeWaiting())
        this.#till.abandon(requestId)
      },
    }
  }

  #passed(): Pick<Till, 'check' | 'hold' | 'resize'> {
    return {
      check: (request) => this.#till.check(request),
      hold: (request) => this.#till.hold(request),
      resize: (requestId, amountNanoUsd) => this.#till.resize(requestId, amountNanoUsd),
    }
  }

  #takeWaiting(): readonly PaidRequestRecord[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /** Settles the steps of a client that is gone, and releases the money of others. Never rejects. */
  async #end(): Promise<void> {
    const last = this.#waiting.at(-1)
    if (last === undefined || !this.#options.isClientGone()) return await this.#release()
    const steps = this.#takeWaiting()
    await this.#till.settle(last, steps.slice(0, -1)).then(
      () => steps.forEach(this.#options.onSettled),
      () => this.#abandon(steps),
    )
  }

  /** Releases the money of the steps, also where the disk refuses it now. Never rejects. */
  async #release(): Promise<void> {
    for (const { requestId, isMetered, isHeld = isMetered } of this.#takeWaiting()) {
      if (isHeld) await this.#till.drop(requestId).catch(() => this.#till.abandon(requestId))
    }
  }

  #abandon(steps: readonly PaidRequestRecord[]): void {
    for (const { requestId, isMetered, isHeld = isMetered } of steps) if (isHeld) this.#till.abandon(requestId)
  }

  /** Ends the steps of a request that was not settled. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()
  }
}
