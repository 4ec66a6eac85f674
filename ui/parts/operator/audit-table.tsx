import type { Rows } from '../../api/operation.ts'
import { texts } from '../../texts/texts.ts'
import { Table } from '../table.tsx'
import { Time } from '../time.tsx'

export type AuditLine = Rows<'audit-list'>

/** Who changed what, the latest first. */
export function AuditTable({ rows }: { readonly rows: readonly AuditLine[] }) {
  const words = texts.audit
  return (
    <Table
      caption={words.caption}
      rows={rows}
      rowKey={({ id }) => String(id)}
      columns={[
        { title: words.time, cell: ({ createdMs }) => <Time at={createdMs} /> },
        { title: words.actor, cell: ({ actor }) => <code class="id">{actor}</code> },
        { title: words.action, cell: ({ action }) => <code class="whole">{action}</code> },
        {
          title: words.account,
          cell: ({ accountId }) =>
            typeof accountId === 'string' && (
              <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>
                <code class="id">{accountId}</code>
              </a>
            ),
        },
        { title: words.details, cell: ({ details }) => <span class="id">{detailsText(details)}</span> },
      ]}
    />
  )
}

/** `{count: 3, memo: 'gift'}` is `count 3 · memo gift`. */
export function detailsText(details: object): string {
  const parts = Object.entries(details).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return parts.join(' · ')
}
