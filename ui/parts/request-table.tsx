import type { OwnRow } from '../api/own-operation.ts'
import { me } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { type Column, Table } from './table.tsx'
import { Time } from './time.tsx'
import { durationText } from './time-text.ts'

type OwnRequest = OwnRow<'usage-list'>

const { requestColumns: titles, statuses } = texts.ownUsage

const columnsBefore: readonly Column<OwnRequest>[] = [
  { title: titles.time, cell: ({ createdMs }) => <Time at={createdMs} /> },
  { title: titles.model, cell: ({ model }) => <span class="breaks">{model}</span> },
  {
    title: titles.key,
    cell: ({ keyName, keyId }) => <span class="breaks">{keyName ?? <code>{keyId}</code>}</span>,
  },
  { title: titles.status, cell: statusCell },
  { title: titles.in, isNumber: true, cell: (row) => countText(row.used.promptTokens) },
  { title: titles.out, isNumber: true, cell: (row) => countText(row.used.completionTokens) },
  { title: titles.took, isNumber: true, cell: ({ runningMs: ms }) => (ms === null ? null : durationText(ms)) },
]

/** Returns the column of charges, or of costs for accounts that are never charged. */
const moneyColumn = (isUnmetered: boolean): Column<OwnRequest> =>
  isUnmetered
    ? { title: titles.unchargedCost, usd: ({ costUsd }) => costUsd }
    : { title: titles.cost, usd: ({ chargedUsd }) => chargedUsd }

const columnsAfter: readonly Column<OwnRequest>[] = [
  {
    title: titles.receipt,
    cell: ({ requestId: id }) => (
      <a href={`/dashboard/usage?request=${encodeURIComponent(id)}`}>
        {texts.ownUsage.receipt} <span class="unseen">{id}</span>
      </a>
    ),
  },
]

/** Lists requests of an account, each with a link to its receipt. */
export function RequestTable({ rows }: { readonly rows: readonly OwnRequest[] }) {
  const columns = [...columnsBefore, moneyColumn(me.value?.isUnmetered === true), ...columnsAfter]
  return (
    <Table caption={texts.ownUsage.requestsTitle} columns={columns} rows={rows} rowKey={({ requestId }) => requestId} />
  )
}

function statusCell({ finish, isEstimated }: OwnRequest) {
  return (
    <>
      <RequestStatusText finish={finish} />
      {isEstimated && <span class="sub">{texts.ownUsage.estimated}</span>}
    </>
  )
}

/** Returns the status of a paid request. A cancelled one is charged for its computed part, a failed one is free. */
export function statusOf(finish: OwnRequest['finish']): 'completed' | 'cancelled' | 'failed' {
  if (finish === 'failed') return 'failed'
  return finish === 'client_disconnect' ? 'cancelled' : 'completed'
}

export function RequestStatusText({ finish }: Pick<OwnRequest, 'finish'>) {
  const { sign, text, tone } = statuses[statusOf(finish)]
  return (
    <span class={`result ${tone}`}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  )
}

function countText(count: number) {
  return count === 0 ? null : count.toLocaleString('en')
}
