import type { Database, Statement } from 'bun:sqlite'
import type { GroupCommit } from '../db/group-commit.ts'
import type { Ledger } from './ledger.ts'
import { type UsageEntry, UsageStore } from './usage-store.ts'

export interface HoldRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly amountNanoUsd: number
}

/** `key-ended`: the key was revoked or has expired since it was checked; `account-disabled` likewise. */
export type HoldOutcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'unmetered' }
  | { readonly kind: 'insufficient'; readonly availableNanoUsd: number }
  | { readonly kind: 'key-ended' | 'account-disabled' }

/** What stands in the way of holding, or how much there is to hold. */
type PayerState =
  | Exclude<HoldOutcome, { kind: 'held' | 'insufficient' }>
  | { readonly kind: 'metered'; readonly availableNanoUsd: number }

export type ResizeOutcome =
  | { readonly kind: 'held' }
  | { readonly kind: 'insufficient'; readonly availableNanoUsd: number }

export interface Settled {
  /** What was taken from the balance. */
  readonly chargedNanoUsd: number
  readonly balanceNanoUsd: number
}

export interface HoldsOptions {
  readonly database: Database
  readonly commits: GroupCommit
  readonly ledger: Ledger
  /** Milliseconds UTC. */
  readonly clock: () => number
}

type Amount = { id: string; amount: number }

/**
 * Money promised to requests that run. A request holds the most that it may cost before anything is computed for it, and
 * settles once, for what it did cost. Whatever decides (balance, key, account) is read in the transaction that acts.
 */
export class Holds {
  readonly #options: HoldsOptions
  readonly #usage: UsageStore
  readonly #account: Statement<AccountState, [{ accountId: string; keyId: string; now: number }]>
  readonly #reserve: Statement<unknown, [Amount]>
  readonly #release: Statement<unknown, [Amount]>
  readonly #insert: Statement<unknown, [{ requestId: string; accountId: string; amount: number; now: number }]>
  readonly #find: Statement<{ account_id: string; amount: number }, [string]>
  readonly #change: Statement<unknown, [{ requestId: string; amount: number }]>
  readonly #delete: Statement<unknown, [string]>
  /** Requests whose holds could not be given back yet. */
  readonly #abandoned = new Set<string>()
  readonly #money: Statement<{ balance: number; available: number }, [string]>

  constructor(options: HoldsOptions) {
    this.#options = options
    this.#usage = new UsageStore(options)
    const { database } = options
    this.#account = database.prepare(
      `SELECT accounts.is_unmetered, accounts.disabled, accounts.balance - accounts.held AS available,
         (api_keys.revoked IS NOT NULL OR (api_keys.expires IS NOT NULL AND api_keys.expires <= :now)) AS has_key_ended
       FROM accounts JOIN api_keys ON api_keys.account_id = accounts.id
       WHERE accounts.id = :accountId AND api_keys.id = :keyId`,
    )
    this.#reserve = database.prepare(
      'UPDATE accounts SET held = held + :amount WHERE id = :id AND balance - held >= :amount',
    )
    this.#release = database.prepare('UPDATE accounts SET held = held - :amount WHERE id = :id')
    this.#insert = database.prepare(
      'INSERT INTO holds (request_id, account_id, amount, created) VALUES (:requestId, :accountId, :amount, :now)',
    )
    this.#find = database.prepare('SELECT account_id, amount FROM holds WHERE request_id = ?')
    this.#change = database.prepare('UPDATE holds SET amount = :amount WHERE request_id = :requestId')
    this.#delete = database.prepare('DELETE FROM holds WHERE request_id = ?')
    this.#money = database.prepare('SELECT balance, balance - held AS available FROM accounts WHERE id = ?')
  }

  /**
   * What `hold` would say now. Good for refusing early, before work is done for an account that can not pay, and for
   * nothing else: what is held is decided again, in its own transaction. Throws StorageError when the database cannot be
   * written to.
   */
  check(request: Omit<HoldRequest, 'requestId'>): HoldOutcome {
    this.#options.commits.requireStorage()
    this.#returnAbandoned()
    const outcome = this.#payerState(request)
    if (outcome.kind !== 'metered') return outcome
    const { availableNanoUsd } = outcome
    return availableNanoUsd < request.amountNanoUsd ? { kind: 'insufficient', availableNanoUsd } : { kind: 'held' }
  }

  /** Takes the amount out of what is available, for one request. Accounts that are unmetered hold nothing. */
  hold(request: HoldRequest): Promise<HoldOutcome> {
    // Lost in a power cut is as good as released at the next start: no need to wait for the disk.
    return this.#options.commits.run(() => this.#hold(request), { isDurable: false })
  }

  /** Makes a hold larger or smaller. When it cannot grow it stays as it was. Throws when there is none. */
  resize(requestId: string, amountNanoUsd: number): Promise<ResizeOutcome> {
    return this.#options.commits.run(() => this.#resize(requestId, amountNanoUsd), { isDurable: false })
  }

  /**
   * Ends a request: gives back what was held, charges `entry.chargedNanoUsd` and records the usage, all or nothing,
   * durably. An unmetered request has no hold. Throws when a metered one has none (any more), or costs more than it held.
   */
  settle(entry: UsageEntry): Promise<Settled> {
    return this.#options.commits.run(() => this.#settle(entry))
  }

  /** Gives back what was held for a request that came to nothing and leaves no record. */
  drop(requestId: string): Promise<void> {
    return this.#options.commits.run(() => void this.#giveBack(requestId), { isDurable: false })
  }

  /**
   * A request is over and could not be settled: the disk was full, or somebody held the database. What it holds is given
   * back, for nothing, as soon as that works again; every later request tries.
   */
  abandon(requestId: string): void {
    this.#abandoned.add(requestId)
    this.#returnAbandoned()
  }

  #returnAbandoned(): void {
    const requestIds = [...this.#abandoned]
    if (requestIds.length === 0) return
    const giveBack = () => {
      for (const requestId of requestIds) if (this.#find.get(requestId) !== null) this.#giveBack(requestId)
    }
    this.#options.commits.run(giveBack, { isDurable: false }).then(
      () => {
        for (const requestId of requestIds) this.#abandoned.delete(requestId)
      },
      () => undefined, // the next request tries again
    )
  }

  #payerState({ accountId, keyId }: Omit<HoldRequest, 'requestId'>): PayerState {
    const now = this.#options.clock()
    const account = this.#account.get({ accountId, keyId, now })
    if (account === null || account.has_key_ended === 1) return { kind: 'key-ended' }
    if (account.disabled !== null) return { kind: 'account-disabled' }
    if (account.is_unmetered === 1) return { kind: 'unmetered' }
    return { kind: 'metered', availableNanoUsd: account.available }
  }

  #hold(request: HoldRequest): HoldOutcome {
    const payer = this.#payerState(request)
    if (payer.kind !== 'metered') return payer
    const { requestId, accountId, amountNanoUsd } = request
    if (this.#reserve.run({ id: accountId, amount: amountNanoUsd }).changes === 0) {
      return { kind: 'insufficient', availableNanoUsd: payer.availableNanoUsd }
    }
    const now = this.#options.clock()
    this.#insert.run({ requestId, accountId, amount: amountNanoUsd, now })
    return { kind: 'held' }
  }

  #resize(requestId: string, amount: number): ResizeOutcome {
    const held = this.#held(requestId)
    if (this.#reserve.run({ id: held.account_id, amount: amount - held.amount }).changes === 0) {
      const available = this.#money.get(held.account_id)?.available ?? 0
      return { kind: 'insufficient', availableNanoUsd: available + held.amount }
    }
    this.#change.run({ requestId, amount })
    return { kind: 'held' }
  }

  #settle(entry: UsageEntry): Settled {
    const { requestId, accountId, chargedNanoUsd, isMetered } = entry
    if (isMetered) {
      const held = this.#giveBack(requestId)
      if (chargedNanoUsd > held)
        throw new Error(`request ${requestId} costs ${chargedNanoUsd} and held ${held} nano-USD`)
    }
    this.#usage.insert(entry)
    if (chargedNanoUsd === 0) return { chargedNanoUsd, balanceNanoUsd: this.#money.get(accountId)?.balance ?? 0 }
    const balanceNanoUsd = this.#options.ledger.append({
      accountId,
      kind: 'usage',
      amountNanoUsd: -chargedNanoUsd,
      actor: 'system',
      requestId,
    })
    return { chargedNanoUsd, balanceNanoUsd }
  }

  #giveBack(requestId: string): number {
    const held = this.#held(requestId)
    this.#release.run({ id: held.account_id, amount: held.amount })
    this.#delete.run(requestId)
    return held.amount
  }

  #held(requestId: string): { account_id: string; amount: number } {
    const held = this.#find.get(requestId)
    if (held === null) throw new Error(`nothing is held for request ${requestId}: this is a bug`)
    return held
  }
}

/**
 * Gives back what the requests of a server that died held, and tells how many they were. For a server's start, before
 * requests are taken.
 */
export function releaseHolds(database: Database): number {
  return database
    .transaction(() => {
      database.run('UPDATE accounts SET held = 0 WHERE held <> 0')
      return database.run('DELETE FROM holds').changes
    })
    .immediate()
}

interface AccountState {
  is_unmetered: number
  disabled: number | null
  available: number
  has_key_ended: number
}
