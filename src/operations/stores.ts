/** All stores over one connection to the database, for the server, commands and tests. */
import { AccountStore } from '../accounts/accounts.ts'
import { HandedOut } from '../accounts/handed-out.ts'
import { Identities } from '../accounts/identities.ts'
import { KeyStore } from '../accounts/keys.ts'
import { MailTokens } from '../accounts/mail-tokens.ts'
import { SecondFactors } from '../accounts/second-factors.ts'
import { Sessions } from '../accounts/sessions.ts'
import { SetupLinks } from '../accounts/setup-links.ts'
import { SignupLimit } from '../accounts/signup-limit.ts'
import { Teams } from '../accounts/teams.ts'
import { sumBooks } from '../billing/book-sums.ts'
import { Holds } from '../billing/holds.ts'
import { checkIntegrity } from '../billing/integrity.ts'
import { Ledger } from '../billing/ledger.ts'
import { LimitStore } from '../billing/limit-store.ts'
import { LowBalances } from '../billing/low-balances.ts'
import { Statements } from '../billing/statements.ts'
import { Spending, UsageHistory } from '../billing/usage-history.ts'
import { sumUsage, type UsageQuery } from '../billing/usage-report.ts'
import { UsageStore } from '../billing/usage-store.ts'
import { Vouchers } from '../billing/vouchers.ts'
import { ServiceEventSource } from '../core/service-events.ts'
import { type AuditExportPage, exportAudit, verifyAudit } from '../db/audit-chain.ts'
import { AuditLog } from '../db/audit-log.ts'
import { Erasures } from '../db/erasures.ts'
import { type ExportPage, exportRows } from '../db/export-person.ts'
import { GroupCommit, type GroupCommitOptions } from '../db/group-commit.ts'
import { AcceptedLicenses, PinnedModels } from '../db/operator-choices.ts'
import { ReadPositions } from '../db/read-positions.ts'
import type { StoreOptions } from '../db/rows.ts'
import { Outbox } from '../mail/outbox.ts'
import { BackendProbes, DryRuns } from '../memory/dry-runs.ts'
import { MeasuredMemory } from '../memory/measured-memory.ts'
import { StepCurves } from '../memory/step-curves.ts'
import { WebhookDeliveries } from '../shipping/webhooks/deliveries.ts'

export type StoresOptions = StoreOptions &
  GroupCommitOptions & {
    /** True if the rights of staff need a second factor. Defaults to false. */
    readonly requiresSecondFactor?: boolean | undefined
  }

export type Stores = ReturnType<typeof openStores>

export function openStores(options: StoresOptions) {
  const commits = new GroupCommit(options.database, options)
  const ledger = new Ledger(options)
  const audit = new AuditLog(options)
  const limits = new LimitStore(options)
  const events = new ServiceEventSource()
  return {
    /** Commits of the one writer, through which all writes go. */
    commits,
    /** Runs work that reads a single state of the database. */
    read: <Result>(work: () => Result): Result => options.database.transaction(work)(),
    audit,
    verifyAudit: () => verifyAudit(options.database),
    exportAudit: (page: AuditExportPage) => exportAudit(options.database, page),
    erasures: new Erasures(options),
    exportRows: (page: ExportPage) => exportRows(options.database, page),
    /** Events for the operator's own systems. */
    events,
    ledger,
    limits,
    holds: new Holds({ ...options, commits, ledger, limits }),
    usage: new UsageStore(options),
    usageHistory: new UsageHistory(options),
    sumUsage: (query: UsageQuery) => sumUsage(options.database, query),
    spending: new Spending(options),
    statements: new Statements(options),
    sumBooks: () => sumBooks(options.database, options.clock()),
    vouchers: new Vouchers({ ...options, ledger, audit }),
    checkIntegrity: () => checkIntegrity(options.database),
    accounts: new AccountStore({ ...options, ledger, audit }),
    keys: new KeyStore(options),
    mailTokens: new MailTokens(options),
    sessions: new Sessions(options),
    secondFactors: new SecondFactors(options),
    identities: new Identities(options),
    setupLinks: new SetupLinks(options),
    handedOut: new HandedOut(options),
    teams: new Teams(options),
    signupLimit: new SignupLimit(options),
    outbox: new Outbox(options),
    webhookDeliveries: new WebhookDeliveries(options),
    readPositions: new ReadPositions(options),
    lowBalances: new LowBalances(options),
    backendProbes: new BackendProbes(options),
    dryRuns: new DryRuns(options),
    stepCurves: new StepCurves(options),
    measuredMemory: new MeasuredMemory(options),
    pinnedModels: new PinnedModels(options),
    acceptedLicenses: new AcceptedLicenses(options),
  }
}
