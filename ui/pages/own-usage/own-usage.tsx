/** Usage: sums by day, model or key, of teams also by person for their managers, and below them each request with its receipt. */
import { perform, useResult } from '../../api/own-operation.ts'
import { me } from '../../api/session.ts'
import { Chips } from '../../parts/chips.tsx'
import { Page } from '../../parts/page.tsx'
import { Select } from '../../parts/select.tsx'
import type { Grouping } from '../../parts/usage/measures.ts'
import { show } from '../../parts/usage/usage-tools.tsx'
import { dayStartText, UsageView } from '../../parts/usage/usage-view.tsx'
import { usageView, useUsage } from '../../parts/usage/use-usage.ts'
import { place, setQuery, withQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { ReceiptDialog } from './receipt-dialog.tsx'
import { Requests } from './requests.tsx'

const groupings = ['day', 'model', 'key'] as const
const groupingsOfManagers = [...groupings, 'holder'] as const
const filters = ['model', 'key'] as const

export default function OwnUsage() {
  const { query } = place.value
  const teams = me.value?.teams ?? []
  const team = teams.find(({ id }) => id === query.get('payer'))
  const account = team?.id
  const isManager = team?.role === 'manager'
  const offered = isManager ? groupingsOfManagers : groupings
  const view = usageView(offered)
  const filter = { model: query.get('model') ?? undefined, key: query.get('key') ?? undefined }
  const answer = useUsage(view, (wanted, signal) => perform('usage-report', wanted, { signal }), {
    ...filter,
    account,
  })
  const receiptId = query.get('request')
  const { fromMs, toMs } = view.range
  return (
    <Page title={texts.ownUsage.title} intro={texts.ownUsage.intro(dayStartText())}>
      {teams.length > 0 && (
        <div class="toolbar">
          <Chips
            label={texts.ownUsage.paidBy}
            value={account ?? ''}
            choices={{ '': texts.keys.ownMoney, ...Object.fromEntries(teams.map(({ id, name }) => [id, name])) }}
            onChange={(payer: string) => show({ payer: payer || undefined, key: undefined })}
          />
        </div>
      )}
      <div class="stack">
        <UsageView view={view} groupings={offered} answer={answer} hrefOf={hrefOf}>
          {filters.map((name) => (
            <Filter key={name} account={account} name={name} value={filter[name]} fromMs={fromMs} toMs={toMs} />
          ))}
        </UsageView>
        {isManager && <p class="muted">{texts.ownUsage.onlyOwn}</p>}
        <Requests account={account} fromMs={fromMs} toMs={toMs} model={filter.model} keyId={filter.key} />
      </div>
      {receiptId !== null && <ReceiptDialog requestId={receiptId} onClose={() => setQuery({ request: undefined })} />}
    </Page>
  )
}

interface FilterProps {
  readonly account: string | undefined
  readonly name: (typeof filters)[number]
  readonly value: string | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** Limits the page to one of the models or keys that were used in the time. */
function Filter({ account, name, value, fromMs, toMs }: FilterProps) {
  const { data } = useResult('usage-report', { account, by: [name], fromMs, toMs, limit: 100 })
  const used = (data?.rows ?? []).flatMap(({ groups }) =>
    groups.flatMap(({ id, label }) => (id === '' ? [] : [[id, label ?? id] as const])),
  )
  const choices = { '': texts.ownUsage.anyOf[name], ...(value && { [value]: value }), ...Object.fromEntries(used) }
  return (
    <Select
      label={texts.usage.groups[name]}
      value={value ?? ''}
      choices={choices}
      onChange={(chosen) => show({ [name]: chosen })}
    />
  )
}

/** Returns the address that narrows the page to a row's subject. */
function hrefOf(by: Grouping, id: string): string | undefined {
  if (by === 'holder') return undefined
  if (by === 'day') return withQuery({ range: 'span', from: id, to: id, by: 'model', before: undefined })
  return withQuery({ [by]: id, by: 'day', before: undefined })
}
