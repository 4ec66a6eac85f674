/** Money: sums of all accounts' money, vouchers, and the ledger of all accounts. */
import type { OperationInput } from '../../../src/operations/operations.ts'
import { useResult } from '../../api/operation.ts'
import { Chips } from '../../parts/chips.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Money } from '../../parts/money.tsx'
import { LedgerCsv, LedgerTable } from '../../parts/operator/ledger-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { ShowAll } from '../../parts/show-all.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { BooksVerdict } from './books-verdict.tsx'
import { VouchersTab } from './vouchers-tab.tsx'

type Tab = keyof typeof texts.money.tabs

export default function MoneyPage() {
  const sums = useResult('books-sums', {})
  const words = texts.money
  const tab: Tab = place.value.query.get('tab') === 'ledger' ? 'ledger' : 'vouchers'
  return (
    <Page title={words.title} intro={words.intro}>
      <div class="stack">
        <Loaded answer={sums}>
          {(books) => (
            <dl class="sums">
              {sumNames.map((name) => (
                <div key={name} class="card">
                  <dt>{words[name]}</dt>
                  <dd>
                    <Money usd={books[`${name}Usd`]} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
        <May perform="doctor-latest">
          <BooksVerdict />
        </May>
        <Tabs
          label={words.tabsLabel}
          value={tab}
          choices={words.tabs}
          onChange={(next) =>
            setQuery({
              tab: next === 'vouchers' ? undefined : next,
              ...{ before: undefined, state: undefined, kind: undefined },
            })
          }
        >
          {tab === 'vouchers' ? <VouchersTab onChange={() => void sums.reload()} /> : <LedgerTab />}
        </Tabs>
      </div>
    </Page>
  )
}

const sumNames = [
  ...(['balances', 'held', 'chargedToday', 'chargedThisMonth'] as const),
  ...(['credited', 'vouchersRedeemed', 'vouchersOpen', 'givenAway'] as const),
]

type Kind = NonNullable<OperationInput<'ledger-list'>['kind']>

function LedgerTab() {
  const choices = { all: texts.money.allKinds, ...texts.ledger.kinds }
  const chosen = place.value.query.get('kind')
  const kind = (Object.keys(texts.ledger.kinds) as Kind[]).find((name) => name === chosen)
  const answer = useResult('ledger-list', { kind, ...pageQuery() })
  return (
    <div class="stack">
      <div class="toolbar">
        <Chips
          label={texts.money.kindLabel}
          value={kind ?? 'all'}
          choices={choices}
          onChange={(next) => setQuery({ kind: next === 'all' ? undefined : next, before: undefined })}
        />
        <LedgerCsv filter={{ kind }} />
      </div>
      <Loaded answer={answer} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={kind === undefined ? texts.ledger.empty : texts.ledger.noneOfKind}>
              {kind === undefined ? (
                <a class="button" href="/admin/accounts">
                  {texts.ledger.toAccounts}
                </a>
              ) : (
                <ShowAll filters={['kind']} />
              )}
            </Empty>
          ) : (
            <>
              <LedgerTable rows={shownRows(rows)} hasAccounts />
              <Pager rows={rows} idOf={({ id }) => String(id)} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}
