import type { AccountRequest } from '../../src/wire/pages/requests.ts'
import { me } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { type Column, Table } from './table.tsx'
import { Time } from './time.tsx'
import { durationText } from './time-text.ts'

const { requestColumns: titles, statuses } = texts.ownUsage

const columnsBefore: readonly Column<AccountRequest>[] = [
  { title: titles.time, cell: ({ created }) => <Time at={created} /> },
  { title: titles.model, cell: ({ model }) => <span class="breaks">{model}</span> },
  {
    title: titles.key,
    cell: ({ key_name: name, key_id: id }) => <span class="breaks">{name ?? <code>{id}</code>}</span>,
  },
  { title: titles.status, cell: statusCell },
  { title: titles.in, isNumber: true, cell: (row) => countText(row.prompt_tokens) },
  { title: titles.out, isNumber: true, cell: (row) => countText(row.completion_tokens) },
  { title: titles.took, isNumber: true, cell: ({ running_ms: ms }) => (ms === null ? null : durationText(ms)) },
]

/** Returns the column of charges, or of costs for accounts that are never charged. */
const moneyColumn = (isUnmetered: boolean): Column<AccountRequest> =>
  isUnmetered
    ? { title: titles.unchargedCost, usd: ({ cost_usd: usd }) => usd }
    : { title: titles.cost, usd: ({ charged_usd: usd }) => usd }

const columnsAfter: readonly Column<AccountRequest>[] = [
  {
    title: titles.receipt,
    cell: ({ request_id: id }) => (
      <a href={`/dashboard/usage?request=${encodeURIComponent(id)}`}>
        {texts.ownUsage.receipt} <span class="unseen">{id}</span>
      </a>
    ),
  },
]

/** Requests of an account, each with the way to its receipt. */
export function RequestTable({ rows }: { readonly rows: readonly AccountRequest[] }) {
  const columns = [...columnsBefore, moneyColumn(me.value?.is_unmetered === true), ...columnsAfter]
  return (
    <Table caption={texts.ownUsage.requestsTitle} columns={columns} rows={rows} rowKey={({ request_id: id }) => id} />
  )
}

function statusCell({ status, estimated }: AccountRequest) {
  return (
    <>
      <RequestStatusText status={status} />
      {estimated && <span class="sub">{texts.ownUsage.estimated}</span>}
    </>
  )
}

export function RequestStatusText({ status }: Pick<AccountRequest, 'status'>) {
  const { sign, text, tone } = statuses[status]
  return (
    <span class={`result ${tone}`}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  )
}

function countText(count: number) {
  return count === 0 ? null : count.toLocaleString('en')
}
