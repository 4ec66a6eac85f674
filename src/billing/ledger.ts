import type { Statement } from 'bun:sqlite'
import { type AccountPage, type Bindings, bound, findRow, latestRows, Store, type StoreOptions } from '../db/rows.ts'

export const ledgerKinds = ['signup', 'credit', 'starter_credit', 'voucher', 'usage', 'adjustment'] as const
export type LedgerKind = (typeof ledgerKinds)[number]

export interface LedgerEntry {
  readonly accountId: string
  readonly kind: LedgerKind
  /** Positive adds to the balance. */
  readonly amountNanoUsd: number
  /** `cli:<user>`, `operator:<id>`, `account:<id>` or `system`. */
  readonly actor: string
  /** The charged request; only rows of usage have one. */
  readonly requestId?: string | undefined
  /** The redeemed voucher; only rows of vouchers have one. */
  readonly voucherId?: string | undefined
  readonly memo?: string | undefined
  /** Key of a credit or an adjustment that its client may repeat. */
  readonly idempotencyKey?: string | undefined
}

interface LedgerRow extends LedgerEntry {
  readonly id: number
  readonly balanceAfterNanoUsd: number
  readonly createdMs: number
}

const source = {
  table: 'ledger',
  columns: `id, account_id AS accountId, kind, amount AS amountNanoUsd, balance_after AS balanceAfterNanoUsd,
    request_id AS requestId, voucher_id AS voucherId, actor, memo, idempotency_key AS idempotencyKey,
    created AS createdMs`,
  order: 'rowid',
} as const

/** Prefix of the idempotency key of a credit that refunds a charge. The id of the request follows. */
export const givenBackPrefix = 'not stored: '

const unset = { requestId: null, voucherId: null, memo: null, idempotencyKey: null }

/** Append-only record of every movement of money. Triggers of the database keep the balances in step. */
export class Ledger extends Store {
  readonly #append: Statement<{ balance_after: number }, [Bindings]>

  constructor(options: StoreOptions) {
    super(options)
    this.#append = this.database.prepare(
      `INSERT INTO ledger (account_id, kind, amount, balance_after, request_id, voucher_id, actor, memo,
         idempotency_key, created)
       SELECT id, :kind, :amountNanoUsd, balance + :amountNanoUsd, :requestId, :voucherId, :actor, :memo, :idempotencyKey, :created
       FROM accounts WHERE id = :accountId
       RETURNING balance_after`,
    )
  }

  /**
   * Moves money and returns the new balance in nano-USD. Call it within a transaction. Throws if the account does not
   * exist, if its balance would not cover what is held, and on a second row for the same request, voucher or
   * idempotency key.
   */
  append(entry: LedgerEntry): number {
    const row = this.#append.get(bound({ ...unset, ...entry, created: this.clock() }))
    if (row === null) throw new Error(`there is no account ${entry.accountId}`)
    return row.balance_after
  }

  /** Lists rows, all or those of an account or a kind, the latest first. */
  list({ accountId, kind, ...page }: AccountPage & { readonly kind?: LedgerKind | undefined } = {}): LedgerRow[] {
    if (accountId === undefined || kind !== 'usage') {
      return latestRows(this.database, source, { ...page, filter: { account_id: accountId, kind } })
    }
    // Most rows are usage: `+` makes SQLite search the account's rows, not the kind's.
    const selection = { filter: { account_id: accountId }, conditions: ['+ledger.kind = :kind'], values: { kind } }
    return latestRows(this.database, source, { ...page, ...selection })
  }

  /** Returns the row that charges a request; undefined if nothing was charged. */
  ofRequest(requestId: string): LedgerRow | undefined {
    return findRow(this.database, source, { request_id: requestId })
  }

  /** Returns the row with an idempotency key; undefined if there is none. */
  ofIdempotencyKey(key: string): LedgerRow | undefined {
    return findRow(this.database, source, { idempotency_key: key })
  }
}
