import type { Database } from 'bun:sqlite'
import type { PaidRequestRecord } from '../core/request-record.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import type { StoreOptions } from '../db/rows.ts'
import { type Budget, Budgets, type Payer, type ReachedBudget } from './budgets.ts'
import { givenBackPrefix, type Ledger } from './ledger.ts'
import type { LimitStore } from './limit-store.ts'
import { UsageStore } from './usage-store.ts'

interface HoldRequest extends Payer {
  readonly requestId: string
  readonly amountNanoUsd: number
}

/** Money that a request can still hold, which does not suffice, and the budget that leaves no more, if one does. */
export interface TooLittle {
  readonly kind: 'insufficient'
  readonly availableNanoUsd: number
  readonly budget?: Budget | undefined
}

/**
 * `budgeted`: the account is unmetered, and the amount is held against budgets alone. `key-ended`: the key was revoked
 * or expired after it was checked. `account-disabled`: the account, or the key's holder, was disabled after that.
 */
export type HoldOutcome =
  | { readonly kind: 'held' | 'budgeted' | 'unmetered' }
  | TooLittle
  | { readonly kind: 'key-ended' | 'account-disabled' }

/** State of an account that asks for a hold, and its available money. */
type AccountState =
  | { readonly kind: 'key-ended' | 'account-disabled' | 'unmetered' }
  | { readonly kind: 'metered'; readonly availableNanoUsd: number }

type ResizeOutcome = { readonly kind: 'held' } | TooLittle

interface Settled {
  /** Amount taken from the balance. */
  readonly chargedNanoUsd: number
  readonly balanceNanoUsd: number
}

interface HoldsOptions extends StoreOptions {
  readonly commits: GroupCommit
  readonly ledger: Ledger
  readonly limits: LimitStore
}

/**
 * Money held for running requests. A request first holds the maximum that it may cost, and at its end settles once for
 * its real cost. Balance, budgets, key and account are read in the transaction of the hold.
 */
export class Holds {
  readonly #options: HoldsOptions
  readonly #usage: UsageStore
  readonly #budgets: Budgets
  readonly #sql: ReturnType<typeof statements>
  /** Requests whose holds could not be released yet. */
  readonly #abandoned = new Set<string>()
  /** Requests that hold money and have not ended. */
  readonly #open = new Set<string>()

  constructor(options: HoldsOptions) {
    this.#options = options
    this.#usage = new UsageStore(options)
    this.#budgets = new Budgets(options)
    this.#sql = statements(options.database)
  }

  /**
   * Returns the outcome that `hold` would have now, so that a request which cannot pay is refused before any work. The
   * hold itself decides again. Throws StorageError if the database cannot be written.
   */
  check(request: Omit<HoldRequest, 'requestId'>): HoldOutcome {
    this.#options.commits.requireStorage()
    this.#releaseAbandoned()
    return this.#noted(holdOutcome(this.#accountState(request), this.budgetOf(request), request.amountNanoUsd))
  }

  /** Returns the budget with the least money left for a payer's requests; undefined without budgets. */
  budgetOf(payer: Payer): Budget | undefined {
    return this.#budgets.tightestFor(payer)
  }

  /** Returns the present budgets of an account or a key. */
  budgetsOf(subject: string): readonly Budget[] {
    return this.#budgets.of(subject)
  }

  /** Reports the budgets that have reached 80 or 100 percent since the last call, in the transaction that records it. */
  reportReachedBudgets(report: (budget: ReachedBudget) => void): Promise<void> {
    return this.#options.commits.run(() => this.#budgets.takeReached().forEach(report), { isDurable: false })
  }

  /**
   * Reserves the amount from the available balance and all budgets for one request. An unmetered account without
   * budgets holds nothing.
   */
  async hold(request: HoldRequest): Promise<HoldOutcome> {
    // Not durable: a hold that a power cut loses would be released at the next start anyway.
    try {
      const outcome = await this.#options.commits.run(() => this.#hold(request), { isDurable: false })
      if (outcome.kind === 'held' || outcome.kind === 'budgeted') this.#open.add(request.requestId)
      return outcome
    } catch (error) {
      this.#budgets.release(request.requestId)
      throw error
    }
  }

  /** Changes the amount of a hold. Leaves it unchanged if the money is insufficient. Throws if there is no hold. */
  async resize(requestId: string, amountNanoUsd: number): Promise<ResizeOutcome> {
    const before = this.#budgets.heldBy(requestId)
    try {
      return await this.#options.commits.run(() => this.#resize(requestId, amountNanoUsd), { isDurable: false })
    } catch (error) {
      if (before !== undefined) this.#budgets.resize(requestId, before)
      throw error
    }
  }

  /**
   * Ends a request: releases its hold, charges `record.chargedNanoUsd` and records the usage, all or nothing, together
   * with those of `steps`. Waits for the disk only if something is charged, since a lost record of a free request loses
   * no money. An unmetered request holds no balance. Throws if a metered one holds none, or costs more than it held.
   */
  async settle(record: PaidRequestRecord, steps: readonly PaidRequestRecord[] = []): Promise<Settled> {
    const all = [...steps, record]
    for (const { requestId } of all) this.#open.delete(requestId)
    const isDurable = all.some(({ chargedNanoUsd }) => chargedNanoUsd > 0)
    const settleAll = () => {
      for (const step of steps) this.#settle(step)
      return this.#settle(record)
    }
    try {
      return await this.#options.commits.run(settleAll, { isDurable, isAlone: this.#open.size === 0 })
    } catch (error) {
      this.#budgets.forgetSums()
      throw error
    }
  }

  /** Releases the hold of a request that leaves no record. */
  drop(requestId: string): Promise<void> {
    this.#open.delete(requestId)
    return this.#options.commits.run(() => this.#drop(requestId), { isDurable: false })
  }

  /**
   * Abandons a request that ended and could not be settled because the disk was full or failed, or the database was
   * locked. Nothing is charged: every later request tries to release the hold, or to refund a written charge that may
   * not be on the disk.
   */
  abandon(requestId: string): void {
    this.#open.delete(requestId)
    this.#abandoned.add(requestId)
    this.#releaseAbandoned()
  }

  /** Tries for the last time to release abandoned holds. Call it before the commits are closed. */
  close(): void {
    this.#releaseAbandoned()
  }

  #releaseAbandoned(): void {
    const requestIds = [...this.#abandoned]
    if (requestIds.length === 0) return
    const release = () => {
      for (const requestId of requestIds) {
        this.#budgets.release(requestId)
        if (this.#sql.find.get(requestId) !== null) this.#releaseHold(requestId)
        else this.#giveBack(requestId)
      }
    }
    // A refund must be durable: every later request repeats it until it certainly is on the disk.
    const isDurable = requestIds.some((requestId) => this.#sql.find.get(requestId) === null)
    this.#options.commits.run(release, { isDurable }).then(
      () => {
        for (const requestId of requestIds) this.#abandoned.delete(requestId)
      },
      () => undefined, // the next request tries again
    )
  }

  #accountState({ accountId, keyId }: Omit<HoldRequest, 'requestId'>): AccountState {
    const now = this.#options.clock()
    const account = this.#sql.account.get({ accountId, keyId, now })
    if (account === null || account.key_state === null) return { kind: 'key-ended' }
    if (account.key_state !== 'usable') return { kind: account.key_state }
    if (account.disabled !== null) return { kind: 'account-disabled' }
    if (account.is_unmetered === 1) return { kind: 'unmetered' }
    return { kind: 'metered', availableNanoUsd: account.available }
  }

  #hold(request: HoldRequest): HoldOutcome {
    const state = this.#accountState(request)
    const budget = this.budgetOf(request)
    const { requestId, accountId, amountNanoUsd } = request
    const outcome = this.#noted(holdOutcome(state, budget, amountNanoUsd))
    if (outcome.kind === 'held') {
      this.#reserve(accountId, amountNanoUsd)
      this.#sql.insert.run({ requestId, accountId, amount: amountNanoUsd, now: this.#options.clock() })
    }
    const isHeld = outcome.kind === 'held' || outcome.kind === 'budgeted'
    if (isHeld && budget !== undefined) this.#budgets.hold(requestId, request, amountNanoUsd)
    return outcome
  }

  #resize(requestId: string, amount: number): ResizeOutcome {
    const held = this.#sql.find.get(requestId)
    const budget = this.#budgets.tightestOf(requestId)
    if (held === null && this.#budgets.heldBy(requestId) === undefined) throw nothingHeld(requestId)
    const available = held === null ? undefined : this.#sql.money.get(held.account_id)?.available
    const state: AccountState =
      held === null ? { kind: 'unmetered' } : { kind: 'metered', availableNanoUsd: (available ?? 0) + held.amount }
    const outcome = this.#noted(holdOutcome(state, budget, amount))
    if (outcome.kind === 'insufficient') return outcome
    if (held !== null) {
      this.#reserve(held.account_id, amount - held.amount)
      this.#sql.change.run({ requestId, amount })
    }
    this.#budgets.resize(requestId, amount)
    return { kind: 'held' }
  }

  #noted(outcome: HoldOutcome): HoldOutcome {
    if (outcome.kind === 'insufficient' && outcome.budget !== undefined) this.#budgets.noteExhausted(outcome.budget)
    return outcome
  }

  /** Takes an amount that is available. Throws where it is not. */
  #reserve(id: string, amount: number): void {
    if (this.#sql.reserve.run({ id, amount }).changes === 0) {
      throw new Error(`account ${id} cannot hold ${amount} nano-USD more: this is a bug`)
    }
  }

  #settle(record: PaidRequestRecord): Settled {
    const { requestId, accountId, costNanoUsd, chargedNanoUsd, isMetered } = record
    const heldNanoUsd = isMetered ? this.#releaseHold(requestId) : undefined
    if (heldNanoUsd !== undefined && chargedNanoUsd > heldNanoUsd) {
      throw new Error(`request ${requestId} costs ${chargedNanoUsd} and held ${heldNanoUsd} nano-USD`)
    }
    this.#budgets.release(requestId)
    this.#usage.insert({ ...record, heldNanoUsd })
    this.#budgets.count(record, costNanoUsd)
    if (chargedNanoUsd === 0) return { chargedNanoUsd, balanceNanoUsd: this.#sql.money.get(accountId)?.balance ?? 0 }
    const balanceNanoUsd = this.#options.ledger.append({
      accountId,
      kind: 'usage',
      amountNanoUsd: -chargedNanoUsd,
      actor: 'system',
      requestId,
    })
    return { chargedNanoUsd, balanceNanoUsd }
  }

  #drop(requestId: string): void {
    const hasBudget = this.#budgets.release(requestId)
    if (!hasBudget || this.#sql.find.get(requestId) !== null) this.#releaseHold(requestId)
  }

  #releaseHold(requestId: string): number {
    const held = this.#held(requestId)
    this.#sql.release.run({ id: held.account_id, amount: held.amount })
    this.#sql.delete.run(requestId)
    return held.amount
  }

  /** Refunds a request's charge, once, and removes it from the record. Does nothing if nothing was charged. */
  #giveBack(requestId: string): void {
    const { ledger } = this.#options
    const charge = ledger.ofRequest(requestId)
    const idempotencyKey = `${givenBackPrefix}${requestId}`
    if (charge === undefined || ledger.ofIdempotencyKey(idempotencyKey) !== undefined) return
    const memo = `Request ${requestId} could not be stored safely: its charge is given back`
    const { accountId, amountNanoUsd } = charge
    ledger.append({ accountId, kind: 'credit', amountNanoUsd: -amountNanoUsd, actor: 'system', memo, idempotencyKey })
    this.#usage.giveBack(requestId)
  }

  #held(requestId: string): Held {
    const held = this.#sql.find.get(requestId)
    if (held === null) throw nothingHeld(requestId)
    return held
  }
}

function nothingHeld(requestId: string): Error {
  return new Error(`nothing is held for request ${requestId}: this is a bug`)
}

/** Returns the outcome of a request for an amount. Where balance and budget are too small, the smaller one decides. */
function holdOutcome(state: AccountState, budget: Budget | undefined, amountNanoUsd: number): HoldOutcome {
  if (state.kind === 'key-ended' || state.kind === 'account-disabled') return { kind: state.kind }
  const balance = state.kind === 'metered' ? state.availableNanoUsd : Number.POSITIVE_INFINITY
  const budgeted = budget?.leftNanoUsd ?? Number.POSITIVE_INFINITY
  const availableNanoUsd = Math.min(balance, budgeted)
  if (amountNanoUsd > availableNanoUsd) {
    return { kind: 'insufficient', availableNanoUsd, ...(budgeted < balance && { budget }) }
  }
  if (state.kind === 'metered') return { kind: 'held' }
  return { kind: budget === undefined ? 'unmetered' : 'budgeted' }
}

/**
 * Releases the holds of a server that died and returns their number. Call it at a server's start, before it accepts
 * requests.
 */
export function releaseHolds(database: Database): number {
  return database
    .transaction(() => {
      database.run('UPDATE accounts SET held = 0 WHERE held <> 0')
      return database.run('DELETE FROM holds').changes
    })
    .immediate()
}

function statements(database: Database) {
  return {
    account: database.prepare<StoredState, [{ accountId: string; keyId: string; now: number }]>(
      // Subqueries, since joining the two tables takes five times as long.
      `SELECT is_unmetered, disabled, balance - held AS available,
         (SELECT CASE
            WHEN revoked IS NOT NULL OR expires <= :now THEN 'key-ended'
            WHEN (SELECT disabled FROM accounts AS holders WHERE holders.id = holder_id) IS NOT NULL THEN 'account-disabled'
          ELSE 'usable' END FROM api_keys WHERE id = :keyId AND account_id = accounts.id) AS key_state
       FROM accounts WHERE id = :accountId`,
    ),
    reserve: database.prepare('UPDATE accounts SET held = held + :amount WHERE id = :id AND balance - held >= :amount'),
    release: database.prepare('UPDATE accounts SET held = held - :amount WHERE id = :id'),
    insert: database.prepare(
      'INSERT INTO holds (request_id, account_id, amount, created) VALUES (:requestId, :accountId, :amount, :now)',
    ),
    find: database.prepare<Held, [string]>('SELECT account_id, amount FROM holds WHERE request_id = ?'),
    change: database.prepare('UPDATE holds SET amount = :amount WHERE request_id = :requestId'),
    delete: database.prepare('DELETE FROM holds WHERE request_id = ?'),
    money: database.prepare<{ balance: number; available: number }, [string]>(
      'SELECT balance, balance - held AS available FROM accounts WHERE id = ?',
    ),
  }
}

interface StoredState {
  is_unmetered: number
  disabled: number | null
  available: number
  /** `account-disabled`: its holder's. NULL if the key does not exist. */
  key_state: 'key-ended' | 'account-disabled' | 'usable' | null
}

interface Held {
  account_id: string
  amount: number
}
