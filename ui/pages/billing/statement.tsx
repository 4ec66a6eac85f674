import type { AccountAnswers } from '../../../src/operations/account-answers.ts'
import { type OwnRow, perform } from '../../api/own-operation.ts'
import { me } from '../../api/session.ts'
import { type Answer, useLoaded } from '../../api/use-answer.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { isMonth, monthOf, monthSpan, monthText, shiftMonth } from '../../parts/month.ts'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

type Line = OwnRow<'statement-list'>
type Sums = AccountAnswers['statement-sum']

interface StatementProps {
  readonly month: string
  readonly answer: Answer<{ readonly lines: readonly Line[]; readonly sums: Sums }>
}

/** Returns the month in the address, by default the present one, and a page of its ledger. */
export function useStatement(): StatementProps {
  const named = place.value.query.get('month')
  const month = isMonth(named) ? named : monthOf(Date.now())
  const span = monthSpan(month)
  const wanted = { ...span, ...pageQuery() }
  const answer = useLoaded(JSON.stringify(wanted), async (signal) => {
    const [lines, sums] = await Promise.all([
      perform('statement-list', wanted, { signal }),
      perform('statement-sum', span, { signal }),
    ])
    return { lines, sums }
  })
  return { month, answer }
}

/** Shows the ledger of a month between its two balances. */
export function Statement({ month, answer }: StatementProps) {
  const { billing } = texts
  const firstMonth = monthOf(me.value?.createdMs ?? 0)
  const show = (shown: string) => setQuery({ month: shown, before: undefined })
  return (
    <section class="stack">
      <div class="row">
        <h2 class="space">{billing.monthTitle(monthText(month))}</h2>
        <button type="button" disabled={month <= firstMonth} onClick={() => show(shiftMonth(month, -1))}>
          {billing.previous}
        </button>
        <button type="button" disabled={month >= monthOf(Date.now())} onClick={() => show(shiftMonth(month, 1))}>
          {billing.next}
        </button>
        <a class="button" download href={`/dashboard/api/ledger?month=${month}`}>
          <Icon name="download" /> {billing.csv}
        </a>
      </div>
      <Loaded answer={answer} lines={6}>
        {({ lines, sums }) => (
          <div class="stack">
            <MonthLine sums={sums} />
            {lines.length === 0 ? (
              <Empty text={billing.noLines}>
                {month !== monthOf(Date.now()) && (
                  <button type="button" onClick={() => show(monthOf(Date.now()))}>
                    {billing.thisMonth}
                  </button>
                )}
              </Empty>
            ) : (
              <Table
                caption={billing.ledgerTitle}
                columns={columns}
                rows={shownRows(lines)}
                rowKey={({ id }) => String(id)}
              />
            )}
            <Pager rows={lines} idOf={({ id }) => String(id)} />
          </div>
        )}
      </Loaded>
    </section>
  )
}

function MonthLine({ sums }: { readonly sums: Sums }) {
  const { sums: names } = texts.billing
  return (
    <dl class="month-sums">
      <Sum name={names.opening} usd={sums.openingUsd} />
      <Sum name={names.added} sign="+" usd={sums.addedUsd} />
      <Sum name={names.spent} sign="-" usd={sums.spentUsd} />
      <Sum name={names.closing} usd={sums.closingUsd} />
    </dl>
  )
}

function Sum({ name, sign = '', usd }: { readonly name: string; readonly sign?: string; readonly usd: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {sign}
        <ExactMoney usd={usd} />
      </dd>
    </div>
  )
}

const { columns: titles } = texts.billing

const columns: readonly Column<Line>[] = [
  {
    title: titles.time,
    cell: ({ createdMs }) => {
      const time = new Date(createdMs).toISOString()
      return (
        <time dateTime={time} title={exactTime(createdMs)}>
          {time.slice(5, 16).replace('T', ' ')}
        </time>
      )
    },
  },
  { title: titles.what, cell: (line) => <What line={line} /> },
  { title: titles.amount, usd: ({ amountUsd }) => amountUsd, isChange: true },
  { title: titles.balance, usd: ({ balanceAfterUsd }) => balanceAfterUsd },
  {
    title: titles.receipt,
    cell: ({ requestId: id }) =>
      id === null ? null : <a href={`/dashboard/usage?request=${encodeURIComponent(id)}`}>{texts.billing.receipt}</a>,
  },
]

function What({ line: { kind, model, keyName, memo } }: { readonly line: Line }) {
  const details = [model, keyName === null ? null : texts.billing.ofKey(keyName), memo]
  return (
    <>
      {texts.billing.kinds[kind] ?? kind}
      <span class="muted details">
        {details
          .filter((detail) => detail !== null && detail !== '')
          .map((detail) => ` · ${detail}`)
          .join('')}
      </span>
    </>
  )
}
