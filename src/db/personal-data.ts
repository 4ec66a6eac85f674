/**
 * Table of personal data: how each table of the database is exported and erased. A test holds that every table and
 * column stands here.
 */

/** Rows of an export, with the columns that order them. */
export interface ExportedPart {
  readonly rows: string
  readonly order: readonly string[]
}

export interface PersonalTable {
  /** SQL condition of a person's rows, with the parameter `:account`. */
  readonly rows: string
  /**
   * Columns by which exports order the rows: unique within a person's rows, and after those of `rows` in an index where
   * there are many rows. Defaults to the rowid.
   */
  readonly order?: readonly string[]
  /** Further rows of an export: of requests by keys of teams that the person holds. */
  readonly held?: ExportedPart
  /** Columns that an export shows. */
  readonly shown: readonly string[]
  /** Columns that no export shows: secrets, hashes, and who else acted. */
  readonly hidden: readonly string[]
  /** Columns whose content goes, each with the SQL expression of its new content; or all of each row. */
  readonly erased: 'rows' | Readonly<Record<string, string>>
}

const ofAccount = 'account_id = :account'
/** Rows of the account itself, of its keys and of those that it holds. */
const ofSubjects =
  '(subject = :account OR subject IN (SELECT id FROM api_keys WHERE account_id = :account OR holder_id = :account))'

const byHeldKeys = 'key_id IN (SELECT id FROM api_keys WHERE holder_id = :account)'

/** Tables with rows of persons, in the order of exports and erasures. */
export const personalTables = {
  erasures: {
    rows: ofAccount,
    order: ['account_id'],
    shown: ['account_id', 'created'],
    hidden: ['compacted'],
    erased: {},
  },
  accounts: {
    rows: 'id = :account',
    order: ['id'],
    shown: [
      'id',
      'email',
      'name',
      'is_unmetered',
      'created',
      'confirmed',
      'disabled',
      'balance',
      'held',
      'role',
      'role_source',
      'admitted_until',
      'kind',
    ],
    hidden: ['email_key', 'password_hash'],
    erased: {
      ...{ email: 'NULL', email_key: 'NULL', name: "'erased'", password_hash: 'NULL', confirmed: 'NULL' },
      ...{ role: "'member'", disabled: 'coalesce(disabled, :now)', admitted_until: 'NULL' },
    },
  },
  memberships: {
    rows: ofAccount,
    order: ['team_id'],
    shown: ['team_id', 'account_id', 'role', 'created'],
    hidden: ['source'],
    erased: 'rows',
  },
  api_keys: {
    rows: '(account_id = :account OR holder_id = :account)',
    order: ['created', 'rowid'],
    shown: [
      ...['id', 'account_id', 'holder_id', 'name', 'prefix', 'created', 'expires', 'revoked', 'last_used'],
      'is_playground',
    ],
    hidden: ['hash', 'is_keyless', 'made_by'],
    erased: {
      ...{ name: "'erased'", prefix: "'erased ' || id", hash: 'zeroblob(32)' },
      revoked: 'coalesce(revoked, :now)',
    },
  },
  sessions: {
    rows: ofAccount,
    order: ['created', 'rowid'],
    shown: [
      'id',
      'account_id',
      'is_by_link',
      'is_staff',
      'has_second_factor',
      'created',
      'last_used',
      'expires',
      'address',
      'user_agent',
      'provider',
    ],
    hidden: ['hash', 'provider_session'],
    erased: 'rows',
  },
  identities: {
    rows: ofAccount,
    order: ['issuer', 'subject'],
    shown: ['issuer', 'subject', 'account_id', 'provider', 'email', 'groups', 'created', 'last_sign_in', 'refused'],
    hidden: [],
    erased: 'rows',
  },
  second_factors: {
    rows: ofAccount,
    shown: ['account_id', 'created', 'confirmed'],
    hidden: ['secret', 'last_step'],
    erased: 'rows',
  },
  mail_tokens: {
    rows: ofAccount,
    shown: ['account_id', 'purpose', 'created', 'expires', 'used'],
    hidden: ['hash', 'made_by'],
    erased: 'rows',
  },
  setup_links: {
    rows: ofAccount,
    shown: ['account_id', 'created', 'expires', 'used'],
    hidden: ['hash', 'made_by'],
    erased: 'rows',
  },
  outbox: {
    rows: ofAccount,
    order: ['created', 'rowid'],
    shown: ['id', 'account_id', 'purpose', 'created', 'sent', 'attempts', 'next_attempt', 'failure'],
    hidden: [],
    erased: 'rows',
  },
  ledger: {
    rows: ofAccount,
    order: ['id'],
    shown: ['id', 'account_id', 'kind', 'amount', 'balance_after', 'request_id', 'voucher_id', 'memo', 'created'],
    hidden: ['actor', 'idempotency_key'],
    // The key of a refund holds a request's id, which the books are checked by.
    erased: { memo: 'NULL', idempotency_key: "iif(idempotency_key GLOB 'not stored: *', idempotency_key, NULL)" },
  },
  limits: {
    rows: ofSubjects,
    order: ['subject', 'source'],
    shown: [
      ...['subject', 'source', 'daily_nano_usd', 'monthly_nano_usd', 'requests_per_minute', 'tokens_per_minute'],
      ...['parallel', 'models', 'endpoints', 'networks'],
    ],
    hidden: [],
    erased: 'rows',
  },
  told_budgets: {
    rows: ofSubjects,
    order: ['subject', 'period'],
    shown: ['subject', 'period', 'limit_nano_usd', 'percent'],
    hidden: [],
    erased: 'rows',
  },
  vouchers: {
    rows: 'redeemed_by = :account',
    shown: ['id', 'amount', 'created', 'expires', 'redeemed', 'redeemed_by'],
    hidden: ['hash', 'memo', 'revoked'],
    erased: { memo: 'NULL' },
  },
  holds: {
    rows: ofAccount,
    order: ['request_id'],
    shown: ['request_id', 'account_id', 'amount', 'created'],
    hidden: [],
    erased: {},
  },
  usage_days: {
    rows: ofAccount,
    order: ['day', 'key_id', 'model'],
    held: { rows: byHeldKeys, order: ['key_id', 'account_id', 'day', 'model'] },
    shown: [
      ...['account_id', 'day', 'key_id', 'model', 'requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens'],
      ...['reasoning_tokens', 'characters', 'audio_ms', 'images', 'cost', 'charged', 'estimated_requests'],
      'estimated_cost',
    ],
    hidden: [],
    erased: {},
  },
  usage: {
    rows: ofAccount,
    order: ['created', 'rowid'],
    held: { rows: byHeldKeys, order: ['key_id', 'created', 'rowid'] },
    shown: [
      ...['request_id', 'account_id', 'key_id', 'endpoint', 'model', 'prompt_tokens', 'cached_tokens'],
      ...['completion_tokens', 'reasoning_tokens', 'characters', 'audio_ms', 'images', 'searches', 'prices', 'cost'],
      ...['charged', 'finish', 'queued_ms', 'loading_ms', 'running_ms', 'first_output_ms', 'held', 'estimated'],
      'created',
    ],
    hidden: [],
    erased: {},
  },
  audit_log: {
    rows: ofAccount,
    order: ['id'],
    shown: ['id', 'created', 'action', 'account_id', 'details'],
    hidden: ['actor', 'salt', 'digest', 'chain'],
    // Without its salt, the digest tells nothing of the details.
    erased: { details: "'{}'", salt: 'NULL' },
  },
} as const satisfies Record<string, PersonalTable>

export type PersonalTableName = keyof typeof personalTables

/** Tables without data of accounts, each with what it holds. */
export const impersonalTables = {
  signups: 'networks that signed up today or yesterday, without accounts',
  accepted_licenses: 'licences, with operators by id',
  pinned_models: 'models',
  measured_memory: 'models',
  backend_probes: 'this machine',
  dry_runs: 'models',
  step_curves: 'models',
  retention: 'times from which rows are kept',
  webhook_deliveries: 'events with ids of accounts and amounts, deleted after 30 days',
  read_positions: 'ids of rows that were passed on',
} as const satisfies Record<string, string>
