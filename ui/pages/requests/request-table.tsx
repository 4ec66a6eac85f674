import type { OperationJson } from '../../../src/operations/money-text.ts'
import { May } from '../../parts/may.tsx'
import { Money } from '../../parts/money.tsx'
import { numberText } from '../../parts/number-text.ts'
import { type StateTone, StateWord } from '../../parts/state-word.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/operator-texts.ts'

export type OperatorRequest = OperationJson<'requests-list'>['rows'][number]

interface RequestTableProps {
  readonly rows: readonly OperatorRequest[]
  readonly onShow: (row: OperatorRequest) => void
  readonly onCancel: (row: OperatorRequest) => void
}

export function RequestTable({ rows, onShow, onCancel }: RequestTableProps) {
  const titles = texts.requests.columns
  return (
    <Table
      caption={texts.requests.caption}
      columns={[
        { title: titles.time, cell: ({ startedMs }) => <Time at={startedMs} /> },
        { title: titles.who, cell: whoCell },
        {
          title: titles.model,
          cell: ({ model, endpoint }) => (
            <>
              <span class="breaks">{model}</span>
              <span class="sub">{endpoint}</span>
            </>
          ),
        },
        { title: titles.state, cell: statusCell },
        { title: titles.waited, isNumber: true, cell: ({ waitedMs }) => timeText(waitedMs) },
        { title: titles.first, isNumber: true, cell: ({ firstOutputMs }) => timeText(firstOutputMs) },
        { title: titles.total, isNumber: true, cell: ({ durationMs }) => timeText(durationMs) },
        { title: titles.tokens, isNumber: true, cell: tokensCell },
        {
          ...{ title: titles.cost, isNumber: true },
          cell: ({ costUsd }) => (costUsd === null ? '' : <Money usd={costUsd} />),
        },
        {
          title: titles.actions,
          cell: (row) => (
            <span class="row nowrap">
              <button type="button" class="small" onClick={() => onShow(row)}>
                {texts.requests.show} <span class="unseen">{row.id}</span>
              </button>
              {row.state !== 'ended' && (
                <May perform="requests-cancel">
                  <button type="button" class="small danger" onClick={() => onCancel(row)}>
                    {texts.requests.cancel} <span class="unseen">{row.id}</span>
                  </button>
                </May>
              )}
            </span>
          ),
        },
      ]}
      rows={rows}
      rowKey={({ id }) => id}
    />
  )
}

function whoCell({ accountName, accountId, keyName }: OperatorRequest) {
  return (
    <>
      <span class="breaks">{accountName ?? accountId}</span>
      {keyName !== null && <span class="sub">{keyName}</span>}
    </>
  )
}

/** Returns a request's state in words, or how it ended. */
export function statusOf(row: OperatorRequest): { readonly tone: StateTone; readonly word: string } {
  const { states, failed, refused } = texts.requests
  if (row.state === 'waiting') return { tone: 'waiting', word: states.waiting }
  if (row.state === 'running') return { tone: 'busy', word: states.running }
  if (row.isAborted) return { tone: 'off', word: states.left }
  // The client caused this error, so it is not marked as bad.
  if (isRefused(row)) return { tone: 'off', word: refused(row.status ?? 400) }
  if (hasFailed(row)) return { tone: 'bad', word: failed(String(row.status ?? '')) }
  return { tone: 'ok', word: states.completed }
}

function isRefused({ status }: OperatorRequest): boolean {
  return status !== null && status >= 400 && status < 500
}

function hasFailed({ status, code, finish }: OperatorRequest): boolean {
  return (status !== null && status >= 400) || code !== null || finish === 'failed'
}

function statusCell(row: OperatorRequest) {
  const isFree = row.state === 'ended' && hasFailed(row) && (row.costUsd === null || Number(row.costUsd) === 0)
  return (
    <>
      <StateWord {...statusOf(row)} />
      {(row.code !== null || isFree) && (
        <span class="sub">
          {[row.code ?? '', isFree ? texts.requests.chargedNothing : ''].filter(Boolean).join(' · ')}
        </span>
      )}
    </>
  )
}

function tokensCell({ promptTokens, cachedTokens, outputTokens, isEstimated }: OperatorRequest) {
  if (promptTokens === null && outputTokens === null) return ''
  const text = `${numberText(promptTokens ?? 0)} / ${numberText(outputTokens ?? 0)}`
  return (
    <>
      {text}
      {cachedTokens !== null && cachedTokens > 0 && (
        <span class="sub">{texts.requests.cached(numberText(cachedTokens))}</span>
      )}
      {isEstimated && <span class="sub">{texts.requests.estimated}</span>}
    </>
  )
}

function timeText(ms: number | null): string {
  return ms === null ? '' : durationText(ms)
}
