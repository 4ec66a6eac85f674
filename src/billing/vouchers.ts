import { createHash } from 'node:crypto'
import { maximumNanoUsd } from '../core/money.ts'
import type { AuditLog } from '../db/audit-log.ts'
import { findRow, latestRows, type Page, type StoreOptions } from '../db/rows.ts'
import type { Ledger } from './ledger.ts'

/** Without vowels and characters that look alike: 28 characters, so that a code of 24 has 115 bits. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 24
const groupLength = 6
const prefix = 'VC'

export interface VouchersOptions extends StoreOptions {
  readonly ledger: Ledger
  readonly audit: AuditLog
}

export interface NewVouchers {
  readonly amountNanoUsd: number
  readonly count: number
  readonly expiresAtMs?: number | undefined
  readonly memo?: string | undefined
  readonly actor: string
}

export interface CreatedVoucher {
  readonly id: string
  /** What is typed in. It is stored nowhere and shown once. */
  readonly code: string
}

export interface VoucherRow {
  readonly id: string
  readonly amountNanoUsd: number
  readonly memo: string | undefined
  readonly createdMs: number
  readonly expiresAtMs: number | undefined
  readonly redeemedMs: number | undefined
  readonly redeemedBy: string | undefined
  readonly revokedMs: number | undefined
}

/** `used`: redeemed before, `isOwn`: by this account. */
export type Redemption =
  | { readonly kind: 'redeemed'; readonly amountNanoUsd: number; readonly balanceNanoUsd: number }
  | { readonly kind: 'used'; readonly isOwn: boolean }
  /** `over_limit`: the balance would be above the maximum of an account; the voucher stays valid. */
  | { readonly kind: 'unknown' | 'expired' | 'revoked' | 'over_limit' }

const source = {
  table: 'vouchers',
  columns: `id, amount AS amountNanoUsd, memo, created AS createdMs, expires AS expiresAtMs, redeemed AS redeemedMs,
    redeemed_by AS redeemedBy, revoked AS revokedMs`,
  order: 'created',
} as const

/** Codes that an account redeems for money. Writes belong in a transaction. */
export class Vouchers {
  readonly #options: VouchersOptions

  constructor(options: VouchersOptions) {
    this.#options = options
  }

  create({ amountNanoUsd, count, expiresAtMs, memo, actor }: NewVouchers): CreatedVoucher[] {
    const { database, audit, clock, newId } = this.#options
    const insert = database.query(
      'INSERT INTO vouchers (id, hash, amount, memo, created, expires) VALUES (:id, :hash, :amount, :memo, :now, :expires)',
    )
    const created = Array.from({ length: count }, () => {
      const voucher = { id: newId('vou_'), code: newCode() }
      const hash = hashOf(voucher.code)
      const row = { amount: amountNanoUsd, memo: memo ?? null, now: clock(), expires: expiresAtMs ?? null }
      insert.run({ id: voucher.id, hash, ...row })
      return voucher
    })
    audit.append({ actor, action: 'voucher.create', details: { ids: created.map(({ id }) => id), amountNanoUsd } })
    return created
  }

  /** The latest first. */
  list(page: Page = {}): VoucherRow[] {
    return latestRows(this.#options.database, source, page)
  }

  /** Invalidates a voucher; false when there is none with this id, or it was redeemed before. */
  revoke(id: string, actor: string): boolean {
    const { database, audit, clock } = this.#options
    const { changes } = database
      .query('UPDATE vouchers SET revoked = coalesce(revoked, :now) WHERE id = :id AND redeemed IS NULL')
      .run({ id, now: clock() })
    if (changes > 0) audit.append({ actor, action: 'voucher.revoke', details: { id } })
    return changes > 0
  }

  /** Adds the voucher's amount to an account, once. The code may be typed in any case, with or without dashes. */
  redeem(accountId: string, code: string): Redemption {
    const { database, ledger, audit, clock } = this.#options
    const found = findRow<VoucherRow>(database, source, { hash: hashOf(code) })
    if (found === undefined) return { kind: 'unknown' }
    const { id, amountNanoUsd, expiresAtMs } = found
    if (found.redeemedMs !== undefined) return { kind: 'used', isOwn: found.redeemedBy === accountId }
    if (found.revokedMs !== undefined) return { kind: 'revoked' }
    const now = clock()
    if (expiresAtMs !== undefined && expiresAtMs <= now) return { kind: 'expired' }
    if (this.#balanceOf(accountId) + amountNanoUsd > maximumNanoUsd) return { kind: 'over_limit' }
    database
      .query('UPDATE vouchers SET redeemed = :now, redeemed_by = :accountId WHERE id = :id')
      .run({ id, accountId, now })
    const actor = `account:${accountId}`
    const entry = { accountId, kind: 'voucher', amountNanoUsd, actor, voucherId: id } as const
    const balanceNanoUsd = ledger.append(entry)
    audit.append({ actor, action: 'voucher.redeem', accountId, details: { id, amountNanoUsd } })
    return { kind: 'redeemed', amountNanoUsd, balanceNanoUsd }
  }

  #balanceOf(accountId: string): number {
    const { database } = this.#options
    const row = database
      .query<{ balance: number }, [string]>('SELECT balance FROM accounts WHERE id = ?')
      .get(accountId)
    return row?.balance ?? 0
  }
}

function newCode(): string {
  const random = Array.from({ length: codeLength }, randomCharacter).join('')
  const groups = random.match(new RegExp(`.{${groupLength}}`, 'g')) ?? []
  return [prefix, ...groups].join('-')
}

/** Bytes above the last multiple of the alphabet's length are discarded, so that every character is equally likely. */
function randomCharacter(): string {
  const limit = 256 - (256 % alphabet.length)
  for (;;) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < limit) return alphabet.charAt(byte % alphabet.length)
  }
}

function hashOf(code: string): Uint8Array {
  const bare = code.toUpperCase().replace(/[^0-9A-Z]/g, '')
  return createHash('sha256')
    .update(bare.replace(new RegExp(`^${prefix}`), ''))
    .digest()
}
