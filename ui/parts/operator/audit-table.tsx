import type { Rows } from '../../api/operation.ts'
import { texts } from '../../texts/operator-texts.ts'
import { moneyText } from '../money-text.ts'
import { Table } from '../table.tsx'
import { Time } from '../time.tsx'
import { AccountLink, Actor } from './account-link.tsx'

type AuditLine = Rows<'audit-list'>

/** Lists changes with their actors, the latest first. */
export function AuditTable({ rows }: { readonly rows: readonly AuditLine[] }) {
  const words = texts.audit
  return (
    <Table
      caption={words.caption}
      rows={rows}
      rowKey={({ id }) => String(id)}
      columns={[
        { title: words.time, cell: ({ createdMs }) => <Time at={createdMs} /> },
        { title: words.actor, cell: Actor },
        { title: words.action, cell: ({ action }) => <code class="whole">{action}</code> },
        {
          title: words.account,
          cell: ({ accountId, accountName }) =>
            typeof accountId === 'string' && <AccountLink id={accountId} name={accountName} />,
        },
        { title: words.details, cell: ({ details }) => <span class="breaks">{detailsText(details)}</span> },
      ]}
    />
  )
}

/** Returns `amount $3.00 · ids a and 1 more` for `{amountUsd: '3', ids: ['a', 'b']}`. */
function detailsText(details: object): string {
  return Object.entries(details)
    .map(([name, value]) => {
      if (name.endsWith('Usd') && typeof value === 'string') {
        const { text, exact = text } = moneyText(value)
        return `${name.slice(0, -'Usd'.length)} ${exact}`
      }
      return `${name} ${valueText(value)}`
    })
    .join(' · ')
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.length > 1) return `${valueText(value[0])} ${texts.audit.more(value.length - 1)}`
  if (Array.isArray(value)) return valueText(value[0] ?? '')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
