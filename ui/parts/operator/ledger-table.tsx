import type { Rows } from '../../api/operation.ts'
import { texts } from '../../texts/texts.ts'
import { type Column, Table } from '../table.tsx'
import { Time } from '../time.tsx'

export type LedgerLine = Rows<'ledger-list'>

interface LedgerTableProps {
  readonly rows: readonly LedgerLine[]
  /** Of several accounts: each line then leads to its own. */
  readonly hasAccounts?: boolean
}

/** Movements of money, the latest first. */
export function LedgerTable({ rows, hasAccounts = false }: LedgerTableProps) {
  const words = texts.ledger
  const account: Column<LedgerLine> = {
    title: words.account,
    cell: ({ accountId }) => (
      <a href={`/admin/accounts/${encodeURIComponent(accountId)}?tab=ledger`}>
        <code class="id">{accountId}</code>
      </a>
    ),
  }
  const columns: readonly Column<LedgerLine>[] = [
    { title: words.time, cell: ({ createdMs }) => <Time at={createdMs} /> },
    { title: words.kind, cell: ({ kind }) => words.kinds[kind] },
    ...(hasAccounts ? [account] : []),
    { title: words.about, cell: about },
    { title: words.actor, cell: ({ actor, kind }) => (kind === 'usage' ? null : <code class="id">{actor}</code>) },
    { title: words.amount, usd: ({ amountUsd }) => amountUsd, isChange: true },
    { title: words.balance, usd: ({ balanceAfterUsd }) => balanceAfterUsd },
  ]
  return <Table caption={words.caption} columns={columns} rows={rows} rowKey={({ id }) => String(id)} />
}

function about({ memo, requestId, voucherId }: LedgerLine) {
  const id = requestId ?? voucherId
  return memo ?? (id && <code class="id">{id}</code>)
}
