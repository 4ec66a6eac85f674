import type { Rows } from '../../api/operation.ts'
import { AccountBadges } from '../../parts/operator/account-badges.tsx'
import { shownRows } from '../../parts/pager.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

type Row = Rows<'accounts-list'>

export function AccountTable({ rows }: { readonly rows: readonly Row[] }) {
  const { columns, caption, noAddress } = texts.accounts
  return (
    <Table
      caption={caption}
      rows={shownRows(rows)}
      rowKey={({ id }) => id}
      columns={[
        {
          title: columns.account,
          cell: ({ id, kind, email, name }) => (
            <div>
              <a class="who" href={`/admin/accounts/${encodeURIComponent(id)}`}>
                {email ?? (kind === 'team' ? name : noAddress)}
              </a>
              {name !== '' && (
                <div>
                  <span class="muted who">{name}</span>
                </div>
              )}
            </div>
          ),
        },
        { title: columns.state, cell: (row) => <AccountBadges account={row} /> },
        {
          title: columns.lastUsed,
          cell: ({ lastUsedMs }) => (lastUsedMs === null ? texts.shared.never : <Time at={lastUsedMs} />),
        },
        { title: columns.spent, usd: ({ spent30DaysUsd }) => spent30DaysUsd },
        { title: columns.held, usd: ({ heldUsd }) => heldUsd },
        { title: columns.balance, usd: ({ balanceUsd }) => balanceUsd },
      ]}
    />
  )
}
