import { Secret, TOTP } from 'otpauth'
import { Store } from '../db/rows.ts'

/** Time in which a new secret must be confirmed by a code. */
const confirmationMs = 30 * 60 * 1000
/** Steps of 30 seconds by which the clocks of server and phone may differ. */
const maximumSkew = 1

interface StoredFactor {
  readonly secret: string
  readonly lastStep: number
}

/** Second factors of sign-ins by password: codes of authenticator apps. Writes belong in a transaction. */
export class SecondFactors extends Store {
  /** Makes a secret and returns it in Base32. It replaces an unconfirmed one; the account must have no confirmed one. */
  begin(accountId: string): string {
    const secret = new Secret({ size: 20 }).base32
    this.write('DELETE FROM second_factors WHERE account_id = :accountId AND confirmed IS NULL', { accountId })
    this.write('INSERT INTO second_factors (account_id, secret, created) VALUES (:accountId, :secret, :now)', {
      accountId,
      secret,
      now: this.clock(),
    })
    return secret
  }

  /** Confirms a secret of the last half hour by its first code. Returns false for a wrong code. */
  confirm(accountId: string, code: string): boolean {
    const since = this.clock() - confirmationMs
    if (!this.#useCode(accountId, code, { condition: 'confirmed IS NULL AND created > :since', values: { since } }))
      return false
    const sql = 'UPDATE second_factors SET confirmed = :now WHERE account_id = :accountId'
    return this.write(sql, { accountId, now: this.clock() }) > 0
  }

  /** Returns whether sign-ins to the account need a code. */
  has(accountId: string): boolean {
    const sql = 'SELECT 1 FROM second_factors WHERE account_id = :accountId AND confirmed IS NOT NULL'
    return this.first(sql, { accountId }) !== undefined
  }

  /** Uses up a code. Returns false if it is wrong, or not later than the latest used one. */
  use(accountId: string, code: string): boolean {
    return this.#useCode(accountId, code, { condition: 'confirmed IS NOT NULL', values: {} })
  }

  /** Removes the second factor. Returns false without a confirmed one. */
  remove(accountId: string): boolean {
    const had = this.has(accountId)
    this.write('DELETE FROM second_factors WHERE account_id = :accountId', { accountId })
    return had
  }

  #useCode(
    accountId: string,
    code: string,
    { condition, values }: { readonly condition: string; readonly values: Readonly<Record<string, number>> },
  ): boolean {
    const sql = `SELECT secret, last_step AS lastStep FROM second_factors WHERE account_id = :accountId AND ${condition}`
    const factor = this.first<StoredFactor>(sql, { accountId, ...values })
    const step = factor && stepOf(factor, code, this.clock())
    if (step === undefined) return false
    this.write('UPDATE second_factors SET last_step = :step WHERE account_id = :accountId', { accountId, step })
    return true
  }
}

/** Returns the step whose code this is, blanks aside. Undefined if there is none near `nowMs` that is still unused. */
function stepOf({ secret, lastStep }: StoredFactor, code: string, nowMs: number): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  const totp = new TOTP({ secret })
  const delta = totp.validate({ token, timestamp: nowMs, window: maximumSkew })
  const step = delta === null ? 0 : totp.counter({ timestamp: nowMs }) + delta
  return step > lastStep ? step : undefined
}
