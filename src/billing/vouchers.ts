import { base62, derivedText, randomText, secretHash } from '../core/ids.ts'
import { maximumNanoUsd } from '../core/money.ts'
import type { AuditLog } from '../db/audit-log.ts'
import { findRow, latestRows, type Page, Store, type StoreOptions } from '../db/rows.ts'
import type { Ledger } from './ledger.ts'

/** Alphabet of codes: 28 characters, without vowels and look-alikes. A code of 24 characters has 115 bits. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 24
const groupLength = 6
const idLength = 24
const prefix = 'VC'

interface VouchersOptions extends StoreOptions {
  readonly ledger: Ledger
  readonly audit: AuditLog
}

interface NewVouchers {
  readonly amountNanoUsd: number
  readonly count: number
  readonly expiresAtMs?: number | undefined
  readonly memo?: string | undefined
  readonly actor: string
  /** Random key from which ids and codes are derived: nothing stored reveals them, and a repeat returns them again. */
  readonly idempotencyKey?: string | undefined
}

interface CreatedVoucher {
  readonly id: string
  /** Code to type in. Shown once and never stored. */
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

/** `used` means redeemed before, `isOwn` by this account. */
type Redemption =
  | { readonly kind: 'redeemed'; readonly amountNanoUsd: number; readonly balanceNanoUsd: number }
  | { readonly kind: 'used'; readonly isOwn: boolean }
  /** `over_limit` means that the balance would exceed an account's maximum. The voucher stays valid. */
  | { readonly kind: 'unknown' | 'expired' | 'revoked' | 'over_limit' }

export const voucherStates = ['open', 'redeemed', 'expired', 'revoked'] as const
type VoucherState = (typeof voucherStates)[number]

const conditions: Readonly<Record<VoucherState, string>> = {
  open: `vouchers.redeemed IS NULL AND vouchers.revoked IS NULL
    AND (vouchers.expires IS NULL OR vouchers.expires > :now)`,
  redeemed: 'vouchers.redeemed IS NOT NULL',
  expired: 'vouchers.redeemed IS NULL AND vouchers.revoked IS NULL AND vouchers.expires <= :now',
  revoked: 'vouchers.revoked IS NOT NULL',
}

const source = {
  table: 'vouchers',
  columns: `id, amount AS amountNanoUsd, memo, created AS createdMs, expires AS expiresAtMs, redeemed AS redeemedMs,
    redeemed_by AS redeemedBy, revoked AS revokedMs`,
  order: 'created',
} as const

/** Codes that an account redeems for money. Writes belong in a transaction. */
export class Vouchers extends Store {
  readonly #ledger: Ledger
  readonly #audit: AuditLog

  constructor(options: VouchersOptions) {
    super(options)
    this.#ledger = options.ledger
    this.#audit = options.audit
  }

  create({ amountNanoUsd, count, expiresAtMs, memo, actor, idempotencyKey }: NewVouchers): CreatedVoucher[] {
    const sql = `INSERT INTO vouchers (id, hash, amount, memo, created, expires)
      VALUES (:id, :hash, :amountNanoUsd, :memo, :now, :expiresAtMs)`
    const created = Array.from({ length: count }, (_, index) => {
      const made = idempotencyKey === undefined ? undefined : derivedVoucher(idempotencyKey, index)
      const { id, code } = made ?? { id: this.newId('vou_'), code: codeOf(randomText(codeLength, alphabet)) }
      this.write(sql, { id, hash: hashOf(code), amountNanoUsd, memo, now: this.clock(), expiresAtMs })
      return { id, code }
    })
    this.#audit.append({
      actor,
      action: 'voucher.create',
      details: { ids: created.map(({ id }) => id), amountNanoUsd },
    })
    return created
  }

  /** Returns the vouchers created with an idempotency key, with their codes; empty if none. */
  ofIdempotencyKey(key: string): (VoucherRow & CreatedVoucher)[] {
    const made: (VoucherRow & CreatedVoucher)[] = []
    for (;;) {
      const { id, code } = derivedVoucher(key, made.length)
      const row = findRow<VoucherRow>(this.database, source, { id })
      if (row === undefined) return made
      made.push({ ...row, code })
    }
  }

  /** Lists vouchers, the latest first: all, or those in a state. */
  list({ state, ...page }: Page & { readonly state?: VoucherState | undefined } = {}): VoucherRow[] {
    const selection = state === undefined ? {} : { conditions: [conditions[state]], values: { now: this.clock() } }
    return latestRows(this.database, source, { ...page, ...selection })
  }

  /** Invalidates a voucher. Returns false if the id is unknown or the voucher was redeemed before. */
  revoke(id: string, actor: string): boolean {
    const found = findRow<VoucherRow>(this.database, source, { id })
    if (found === undefined || found.redeemedMs !== undefined) return false
    if (found.revokedMs !== undefined) return true
    this.write('UPDATE vouchers SET revoked = :now WHERE id = :id', { id, now: this.clock() })
    this.#audit.append({ actor, action: 'voucher.revoke', details: { id } })
    return true
  }

  /** Adds the voucher's amount to an account, once. The code may be typed in any case, with or without dashes. */
  redeem(accountId: string, code: string): Redemption {
    const found = findRow<VoucherRow>(this.database, source, { hash: hashOf(code) })
    if (found === undefined) return { kind: 'unknown' }
    const { id, amountNanoUsd, expiresAtMs } = found
    if (found.redeemedMs !== undefined) return { kind: 'used', isOwn: found.redeemedBy === accountId }
    if (found.revokedMs !== undefined) return { kind: 'revoked' }
    const now = this.clock()
    if (expiresAtMs !== undefined && expiresAtMs <= now) return { kind: 'expired' }
    if (this.#balanceOf(accountId) + amountNanoUsd > maximumNanoUsd) return { kind: 'over_limit' }
    this.write('UPDATE vouchers SET redeemed = :now, redeemed_by = :accountId WHERE id = :id', { id, accountId, now })
    const actor = `account:${accountId}`
    const balanceNanoUsd = this.#ledger.append({ accountId, kind: 'voucher', amountNanoUsd, actor, voucherId: id })
    this.#audit.append({ actor, action: 'voucher.redeem', accountId, details: { id, amountNanoUsd } })
    return { kind: 'redeemed', amountNanoUsd, balanceNanoUsd }
  }

  #balanceOf(accountId: string): number {
    const sql = 'SELECT balance FROM accounts WHERE id = :accountId'
    return this.first<{ balance: number }>(sql, { accountId })?.balance ?? 0
  }
}

/** Returns an idempotency key's voucher with this index. */
function derivedVoucher(secret: string, index: number): CreatedVoucher {
  const id = derivedText({ secret, label: `voucher id ${index}` }, idLength, base62)
  const code = derivedText({ secret, label: `voucher code ${index}` }, codeLength, alphabet)
  return { id: `vou_${id}`, code: codeOf(code) }
}

/** Returns the code as printed and typed: in groups. */
function codeOf(characters: string): string {
  const groups = characters.match(new RegExp(`.{${groupLength}}`, 'g')) ?? []
  return [prefix, ...groups].join('-')
}

function hashOf(code: string): Uint8Array {
  const bare = code.toUpperCase().replace(/[^0-9A-Z]/g, '')
  return secretHash(bare.replace(new RegExp(`^${prefix}`), ''))
}
