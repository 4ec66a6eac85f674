import type { Rows } from '../../api/operation.ts'
import { texts } from '../../texts/operator-texts.ts'
import { Icon } from '../icon.tsx'
import { Id } from '../id.tsx'
import { type Column, Table } from '../table.tsx'
import { Time } from '../time.tsx'
import { AccountLink, Actor } from './account-link.tsx'

type LedgerLine = Rows<'ledger-list'>

interface LedgerTableProps {
  readonly rows: readonly LedgerLine[]
  /** True if the lines belong to several accounts. Each then links to its account. */
  readonly hasAccounts?: boolean
}

/** Lists movements of money, the latest first. */
export function LedgerTable({ rows, hasAccounts = false }: LedgerTableProps) {
  const words = texts.ledger
  const account: Column<LedgerLine> = {
    title: words.account,
    cell: ({ accountId, accountName }) => <AccountLink id={accountId} name={accountName} tab="ledger" />,
  }
  const columns: readonly Column<LedgerLine>[] = [
    { title: words.time, cell: ({ createdMs }) => <Time at={createdMs} /> },
    { title: words.kind, cell: ({ kind }) => words.kinds[kind] },
    ...(hasAccounts ? [account] : []),
    { title: words.about, cell: about },
    { title: words.actor, cell: (row) => row.kind !== 'usage' && <Actor {...row} /> },
    { title: words.amount, usd: ({ amountUsd }) => amountUsd, isChange: true },
    { title: words.balance, usd: ({ balanceAfterUsd }) => balanceAfterUsd },
  ]
  return <Table caption={words.caption} columns={columns} rows={rows} rowKey={({ id }) => String(id)} />
}

interface LedgerCsvProps {
  /** Filter of the ledger on the page. */
  readonly filter: { readonly account?: string | undefined; readonly kind?: string | undefined }
}

/** Downloads the whole ledger, or the filtered rows. */
export function LedgerCsv({ filter }: LedgerCsvProps) {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return (
    <a class="button" download href={`/admin/api/ledger?${new URLSearchParams(given)}`}>
      <Icon name="download" /> {texts.ledger.csv}
    </a>
  )
}

function about({ memo, requestId, voucherId }: LedgerLine) {
  const id = requestId ?? voucherId
  return memo === null ? id && <Id text={id} /> : <span class="breaks">{memo}</span>
}
