import type { LedgerLine, LedgerPage, MonthSums } from '../../../src/wire/pages/ledger.ts'
import { me } from '../../api/session.ts'
import { type Answer, useAnswer } from '../../api/use-answer.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { isMonth, monthOf, monthText, shiftMonth } from '../../parts/month.ts'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

interface StatementProps {
  readonly month: string
  readonly answer: Answer<LedgerPage & MonthSums>
}

/** Returns the month that the address names, by default the present one, and a page of its ledger. */
export function useStatement(): StatementProps {
  const named = place.value.query.get('month')
  const month = isMonth(named) ? named : monthOf(Date.now())
  const { limit, before } = pageQuery()
  const page = before === undefined ? '' : `&before=${encodeURIComponent(before)}`
  return { month, answer: useAnswer(`/dashboard/api/ledger?month=${month}&limit=${limit}${page}`) }
}

/** Shows the ledger of a month between its two balances. */
export function Statement({ month, answer }: StatementProps) {
  const { billing } = texts
  const firstMonth = monthOf((me.value?.created ?? 0) * 1_000)
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
        <a class="button" download href={`/dashboard/api/ledger?month=${month}&format=csv`}>
          <Icon name="download" /> {billing.csv}
        </a>
      </div>
      <Loaded answer={answer} lines={6}>
        {(page) => (
          <div class="stack">
            <MonthLine sums={page} />
            {page.data.length === 0 ? (
              <Empty text={billing.noLines} />
            ) : (
              <Table
                caption={billing.ledgerTitle}
                columns={columns}
                rows={shownRows(page.data)}
                rowKey={({ id }) => String(id)}
              />
            )}
            <Pager rows={page.data} idOf={({ id }) => String(id)} />
          </div>
        )}
      </Loaded>
    </section>
  )
}

function MonthLine({ sums }: { readonly sums: MonthSums }) {
  const { sums: names } = texts.billing
  return (
    <dl class="month-sums">
      <Sum name={names.opening} usd={sums.opening_usd} />
      <Sum name={names.added} sign="+ " usd={sums.added_usd} />
      <Sum name={names.spent} sign="- " usd={sums.spent_usd} />
      <Sum name={names.closing} usd={sums.closing_usd} />
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

const columns: readonly Column<LedgerLine>[] = [
  {
    title: titles.time,
    cell: ({ created }) => (
      <time dateTime={created} title={exactTime(Date.parse(created))}>
        {created.slice(5, 16).replace('T', ' ')}
      </time>
    ),
  },
  { title: titles.what, cell: (line) => <What line={line} /> },
  { title: titles.amount, usd: ({ amount_usd: usd }) => usd, isChange: true },
  { title: titles.balance, usd: ({ balance_after_usd: usd }) => usd },
  {
    title: titles.receipt,
    cell: ({ request_id: id }) =>
      id === null ? null : <a href={`/dashboard/usage?request=${encodeURIComponent(id)}`}>{texts.billing.receipt}</a>,
  },
]

function What({ line: { kind, model, key_name: keyName, memo } }: { readonly line: LedgerLine }) {
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
