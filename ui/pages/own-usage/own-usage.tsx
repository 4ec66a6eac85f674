/** Usage: sums by day, model or key, and below them each request with its receipt. */
import { perform, useResult } from '../../api/own-operation.ts'
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
const filters = ['model', 'key'] as const

export default function OwnUsage() {
  const { query } = place.value
  const view = usageView(groupings)
  const filter = { model: query.get('model') ?? undefined, key: query.get('key') ?? undefined }
  const answer = useUsage(view, (wanted, signal) => perform('usage-report', wanted, { signal }), filter)
  const receiptId = query.get('request')
  const { fromMs, toMs } = view.range
  return (
    <Page title={texts.ownUsage.title} intro={texts.ownUsage.intro(dayStartText())}>
      <div class="stack">
        <UsageView view={view} groupings={groupings} answer={answer} hrefOf={hrefOf}>
          {filters.map((name) => (
            <Filter key={name} name={name} value={filter[name]} fromMs={fromMs} toMs={toMs} />
          ))}
        </UsageView>
        <Requests fromMs={fromMs} toMs={toMs} model={filter.model} keyId={filter.key} />
      </div>
      {receiptId !== null && <ReceiptDialog requestId={receiptId} onClose={() => setQuery({ request: undefined })} />}
    </Page>
  )
}

interface FilterProps {
  readonly name: (typeof filters)[number]
  readonly value: string | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** Limits the page to one of the models or keys that were used in the time. */
function Filter({ name, value, fromMs, toMs }: FilterProps) {
  const { data } = useResult('usage-report', { by: [name], fromMs, toMs, limit: 100 })
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
function hrefOf(by: Grouping, id: string): string {
  if (by === 'day') return withQuery({ range: 'span', from: id, to: id, by: 'model', before: undefined })
  return withQuery({ [by]: id, by: 'day', before: undefined })
}
