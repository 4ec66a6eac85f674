/** Tabs of an account's page. */
import type { ComponentType } from 'preact'
import type { OperationName } from '../../../src/operations/operations.ts'
import { perform, useResult } from '../../api/operation.ts'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { modelAddress } from '../../parts/model-mark.tsx'
import { AuditTable } from '../../parts/operator/audit-table.tsx'
import { LedgerCsv, LedgerTable } from '../../parts/operator/ledger-table.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import type { Grouping } from '../../parts/usage/measures.ts'
import { UsageView } from '../../parts/usage/usage-view.tsx'
import { usageView, useUsage } from '../../parts/usage/use-usage.ts'
import { withQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import type { AccountPartProps } from './account-name.ts'
import { KeysTab } from './keys-tab.tsx'
import { LimitsTab } from './limits-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'

export type AccountTab = keyof typeof texts.account.tabs

function LedgerTab({ account }: AccountPartProps) {
  const answer = useResult('ledger-list', { account: account.id, ...pageQuery() })
  return (
    <Loaded answer={answer}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty text={texts.ledger.empty} />
        ) : (
          <div class="stack">
            <LedgerTable rows={shownRows(rows)} />
            <div class="row">
              <Pager rows={rows} idOf={({ id }) => String(id)} />
              <LedgerCsv filter={{ account: account.id }} />
            </div>
          </div>
        )
      }
    </Loaded>
  )
}

const usageGroupings = ['model', 'day', 'key'] as const
const groupingsOfTeams = ['holder', ...usageGroupings] as const

function UsageTab({ account }: AccountPartProps) {
  const groupings = account.kind === 'team' ? groupingsOfTeams : usageGroupings
  const view = usageView(groupings)
  const answer = useUsage(view, (query, signal) =>
    perform('usage-report', { ...query, account: account.id }, { signal }),
  )
  return <UsageView view={view} groupings={groupings} answer={answer} hrefOf={hrefOf} />
}

function hrefOf(by: Grouping, id: string): string | undefined {
  if (by === 'day') return withQuery({ range: 'span', from: id, to: id, by: 'model' })
  if (by === 'holder') return `/admin/accounts/${encodeURIComponent(id)}`
  return by === 'model' ? modelAddress(id) : undefined
}

function AuditTab({ account }: AccountPartProps) {
  const answer = useResult('audit-list', { account: account.id, ...pageQuery() })
  return (
    <Loaded answer={answer}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty text={texts.audit.empty} />
        ) : (
          <>
            <AuditTable rows={shownRows(rows)} />
            <Pager rows={rows} idOf={({ id }) => String(id)} />
          </>
        )
      }
    </Loaded>
  )
}

export const accountTabs: Readonly<Record<AccountTab, ComponentType<AccountPartProps>>> = {
  keys: KeysTab,
  ledger: LedgerTab,
  usage: UsageTab,
  limits: LimitsTab,
  sessions: SessionsTab,
  audit: AuditTab,
}

/** Operation that each tab shows. Roles that may not perform it have no such tab. */
export const tabNeeds: Readonly<Record<AccountTab, OperationName>> = {
  keys: 'keys-list',
  ledger: 'ledger-list',
  usage: 'usage-report',
  limits: 'limits-show',
  sessions: 'sessions-list',
  audit: 'audit-list',
}
