/** What is known about an account, a tab each. */
import type { ComponentType } from 'preact'
import { useResult } from '../../api/operation.ts'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { AuditTable } from '../../parts/operator/audit-table.tsx'
import { LedgerCsv, LedgerTable } from '../../parts/operator/ledger-table.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { texts } from '../../texts/texts.ts'
import type { AccountPartProps } from './account-name.ts'
import { KeysTab } from './keys-tab.tsx'
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
  sessions: SessionsTab,
  audit: AuditTab,
}
