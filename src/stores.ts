/** Everything that reads and writes the database, over one connection: for the server, the command line and tests. */
import type { Database } from 'bun:sqlite'
import { AccountStore } from './accounts/accounts.ts'
import { KeyStore } from './accounts/keys.ts'
import { MailTokens } from './accounts/mail-tokens.ts'
import { Sessions } from './accounts/sessions.ts'
import { SignupLimit } from './accounts/signup-limit.ts'
import { Holds } from './billing/holds.ts'
import { Integrity } from './billing/integrity.ts'
import { Ledger } from './billing/ledger.ts'
import { UsageReport } from './billing/usage-report.ts'
import { UsageStore } from './billing/usage-store.ts'
import { Vouchers } from './billing/vouchers.ts'
import type { NewId } from './core/ids.ts'
import { AuditLog } from './db/audit-log.ts'
import { GroupCommit } from './db/group-commit.ts'
import { Outbox } from './mail/outbox.ts'

export interface StoresOptions {
  readonly database: Database
  readonly newId: NewId
  /** Milliseconds UTC. */
  readonly clock: () => number
  /** How long a write waits for another process that keeps the database locked. */
  readonly lockWaitMs?: number
}

export type Stores = ReturnType<typeof openStores>

export function openStores(options: StoresOptions) {
  const commits = new GroupCommit(options.database, options)
  const ledger = new Ledger(options)
  const audit = new AuditLog(options)
  return {
    /** All writes go through it. */
    commits,
    audit,
    ledger,
    holds: new Holds({ ...options, commits, ledger }),
    usage: new UsageStore(options),
    usageReport: new UsageReport(options),
    vouchers: new Vouchers({ ...options, ledger, audit }),
    integrity: new Integrity(options),
    accounts: new AccountStore({ ...options, ledger, audit }),
    keys: new KeyStore(options),
    mailTokens: new MailTokens(options),
    sessions: new Sessions(options),
    signupLimit: new SignupLimit(options),
    outbox: new Outbox(options),
  }
}
