import { dayMs, hourMs } from '../core/durations.ts'
import { secretHash } from '../core/ids.ts'
import type { Role } from '../core/roles.ts'
import { latestRows, Store, type StoreOptions } from '../db/rows.ts'

/** Lifetime of a session in days, regardless of its use. */
export const sessionDays = { member: 30, staff: 7 } as const
/** Time without use after which a session of staff ends. */
const staffIdleMs = 12 * hourMs
/** Accuracy of `last_used`: a durable write for each request would cost more than finding the session. */
const lastUsedResolutionMs = 60_000
const secretLength = 43
const freshLinkMs = 30 * 60 * 1000
const userAgentLimit = 300
/** Sessions per account. A new one beyond this ends the oldest. */
const maximumSessions = 100

/** Address and browser that a session is used from. */
export interface SessionClient {
  readonly address: string
  readonly userAgent: string | undefined
}

export interface NewSession {
  /** True if a mailed link begins the session, and not a password. */
  readonly isByLink?: boolean
  /** True to give the session the rights of the account's role. Otherwise it has a member's. */
  readonly hasRoleRights?: boolean
  /** True if more than a password proved who it is. */
  readonly hasSecondFactor?: boolean
  readonly client?: SessionClient | undefined
  /** Sign-in by an identity provider that begins the session. */
  readonly by?: ProviderSession | undefined
}

export interface ProviderSession {
  /** Name of the provider. */
  readonly provider: string
  /** Id of the session at the provider, if it has named one. */
  readonly id: string | undefined
  /** Most time until the provider is asked again. */
  readonly lifetimeMs: number
}

interface SessionOptions extends StoreOptions {
  /** True if the rights of staff need a second factor. Defaults to false. */
  readonly requiresSecondFactor?: boolean | undefined
}

export interface ValidSession {
  readonly id: string
  readonly accountId: string
  /** Rights of the session: those of its account's role, or a member's. */
  readonly role: Role
  /** True if the session has no rights of staff only because it began without the required second factor. */
  readonly lacksSecondFactor: boolean
  /** Accurate to the minute. */
  readonly lastUsedMs: number
  /** Identity provider that the session began with. */
  readonly provider: string | undefined
}

interface SessionRow extends Omit<ValidSession, 'lacksSecondFactor'> {
  readonly isByLink: boolean
  readonly createdMs: number
  readonly expiresAtMs: number
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

type Stored<Row> = { readonly [Key in keyof Row]: Row[Key] extends boolean ? number : Row[Key] }

const roleOfAccount = '(SELECT role FROM accounts WHERE accounts.id = sessions.account_id)'

const lacksFactor = '(:requiresSecondFactor AND NOT sessions.has_second_factor)'

const source = {
  table: 'sessions',
  columns: `id, account_id AS accountId, CASE WHEN is_staff AND NOT ${lacksFactor} THEN ${roleOfAccount} ELSE 'member' END AS role,
    is_by_link AS isByLink, created AS createdMs,
    last_used AS lastUsedMs, expires AS expiresAtMs, address, user_agent AS userAgent, provider`,
  order: 'created',
} as const

const isValid = 'sessions.expires > :now AND (sessions.is_staff = 0 OR sessions.last_used > :idleSince)'

/** A password of staff counts whatever a provider says. */
const isAdmitted = "(accounts.admitted_until IS NULL OR accounts.admitted_until > :now OR accounts.role <> 'member')"

/** Sessions of the pages. Writes belong in a transaction. */
export class Sessions extends Store {
  readonly #requiresSecondFactor: boolean
  #noteUseAgainMs = 0

  constructor(options: SessionOptions) {
    super(options)
    this.#requiresSecondFactor = options.requiresSecondFactor === true
  }

  /**
   * Begins a session and returns the secret for its cookie, which is never stored. The session is invalid while the
   * account is disabled, and for a team.
   */
  begin(
    accountId: string,
    { isByLink = false, hasRoleRights = false, hasSecondFactor = false, client, by }: NewSession = {},
  ): string {
    const secret = this.newId('', secretLength)
    const now = this.clock()
    const tooOld = `SELECT rowid FROM sessions WHERE account_id = :accountId
      ORDER BY created DESC, rowid DESC LIMIT -1 OFFSET ${maximumSessions - 1}`
    this.write(`DELETE FROM sessions WHERE rowid IN (${tooOld})`, { accountId })
    this.write(
      `INSERT INTO sessions (hash, id, account_id, is_by_link, is_staff, has_second_factor, created, last_used, expires,
         address, user_agent, provider, provider_session)
       SELECT :hash, :id, id, :isByLink, role <> 'member' AND :hasRoleRights, :hasSecondFactor, :now, :now,
         :now + min(:mostMs, CASE WHEN role <> 'member' AND :hasRoleRights THEN :staffMs ELSE :memberMs END),
         :address, :userAgent, :provider, :providerSession
       FROM accounts WHERE id = :accountId AND disabled IS NULL AND kind = 'person'`,
      {
        hash: secretHash(secret),
        id: this.newId('ses_'),
        accountId,
        isByLink,
        hasRoleRights,
        hasSecondFactor,
        now,
        memberMs: sessionDays.member * dayMs,
        staffMs: sessionDays.staff * dayMs,
        mostMs: by?.lifetimeMs ?? Number.MAX_SAFE_INTEGER,
        provider: by?.provider,
        providerSession: by?.id,
        ...stored(client),
      },
    )
    return secret
  }

  /** Returns the valid session with this secret; undefined while its account is disabled. Never throws on any text. */
  find(secret: string): ValidSession | undefined {
    const sql = `SELECT sessions.id, accounts.id AS accountId, sessions.last_used AS lastUsedMs,
        CASE WHEN sessions.is_staff AND NOT ${lacksFactor} THEN accounts.role ELSE 'member' END AS role,
        sessions.is_staff AND accounts.role <> 'member' AND ${lacksFactor} AS lacksSecondFactor,
        sessions.provider
      FROM sessions JOIN accounts ON accounts.id = sessions.account_id
      WHERE sessions.hash = :hash AND accounts.disabled IS NULL AND ${isAdmitted} AND ${isValid}`
    const row = this.first<Stored<ValidSession>>(sql, { hash: secretHash(secret), ...this.#values() })
    return row && { ...row, lacksSecondFactor: row.lacksSecondFactor === 1 }
  }

  /** Records that a session was used, at most once a minute. */
  noteUse({ id, lastUsedMs }: ValidSession, client: SessionClient): void {
    const now = this.clock()
    if (now - lastUsedMs < lastUsedResolutionMs || now < this.#noteUseAgainMs) return
    const sql = 'UPDATE sessions SET last_used = :now, address = :address, user_agent = :userAgent WHERE id = :id'
    try {
      this.write(sql, { id, now, ...stored(client) })
    } catch {
      // A full disk or a locked database must neither end the session nor slow down each request: try again later.
      this.#noteUseAgainMs = now + lastUsedResolutionMs
    }
  }

  /** Lists an account's valid sessions, the latest first. */
  list(accountId: string): SessionRow[] {
    const page = { filter: { account_id: accountId }, conditions: [isValid], values: this.#values() }
    const rows = latestRows<Stored<SessionRow>>(this.database, source, page)
    return rows.map((row) => ({ ...row, isByLink: row.isByLink === 1 }))
  }

  /** Returns whether the session began with a mailed link in the last half hour, which allows setting a new password. */
  hasJustUsedLink(secret: string): boolean {
    const sql = 'SELECT 1 FROM sessions WHERE hash = :hash AND is_by_link = 1 AND created > :since'
    return this.first(sql, { hash: secretHash(secret), since: this.clock() - freshLinkMs }) !== undefined
  }

  /** Records that the holder of the session has proven a second factor. */
  addSecondFactor(secret: string): void {
    this.write('UPDATE sessions SET has_second_factor = 1 WHERE hash = :hash', { hash: secretHash(secret) })
  }

  /** Records that no session of an account counts as begun with a second factor any more. */
  forgetSecondFactor(accountId: string): void {
    this.write('UPDATE sessions SET has_second_factor = 0 WHERE account_id = :accountId', { accountId })
  }

  end(secret: string): void {
    this.write('DELETE FROM sessions WHERE hash = :hash', { hash: secretHash(secret) })
  }

  /** Ends the session with this id if it is the account's. Returns false if there is none. */
  endById(accountId: string, id: string): boolean {
    return this.write('DELETE FROM sessions WHERE account_id = :accountId AND id = :id', { accountId, id }) > 0
  }

  /** Ends all of an account's sessions but the one with this secret, and returns how many. */
  endOthers(accountId: string, secret: string): number {
    const sql = 'DELETE FROM sessions WHERE account_id = :accountId AND hash <> :hash'
    return this.write(sql, { accountId, hash: secretHash(secret) })
  }

  endAll(accountId: string): number {
    return this.write('DELETE FROM sessions WHERE account_id = :accountId', { accountId })
  }

  /** Ends the sessions of an account that began with a provider: one there, or all. Returns how many ended. */
  endOfProvider(
    provider: string,
    { accountId, sessionId }: { accountId?: string | undefined; sessionId?: string | undefined },
  ): number {
    const sql = `DELETE FROM sessions WHERE provider = :provider
      AND (:accountId IS NULL OR account_id = :accountId) AND (:sessionId IS NULL OR provider_session = :sessionId)`
    return this.write(sql, { provider, accountId: accountId ?? null, sessionId: sessionId ?? null })
  }

  #values() {
    const now = this.clock()
    return { requiresSecondFactor: this.#requiresSecondFactor, now, idleSince: now - staffIdleMs }
  }
}

function stored(client: SessionClient | undefined) {
  return { address: client?.address ?? null, userAgent: client?.userAgent?.slice(0, userAgentLimit) ?? null }
}
