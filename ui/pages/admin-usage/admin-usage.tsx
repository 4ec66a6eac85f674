/** Usage of all accounts and its cost, by day, model, account or key. */
import { perform } from '../../api/operation.ts'
import { modelAddress } from '../../parts/model-mark.tsx'
import { Page } from '../../parts/page.tsx'
import type { Grouping } from '../../parts/usage/measures.ts'
import { dayStartText, UsageView } from '../../parts/usage/usage-view.tsx'
import { usageView, useUsage } from '../../parts/usage/use-usage.ts'
import { withQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

const groupings = ['model', 'day', 'account', 'key'] as const

export default function AdminUsage() {
  const view = usageView(groupings)
  const answer = useUsage(view, (query, signal) => perform('usage-report', query, { signal }))
  return (
    <Page title={texts.usage.title} intro={texts.usage.intro(dayStartText())}>
      <UsageView view={view} groupings={groupings} answer={answer} hrefOf={hrefOf} />
    </Page>
  )
}

function hrefOf(by: Grouping, id: string): string | undefined {
  if (by === 'account') return `/admin/accounts/${encodeURIComponent(id)}`
  if (by === 'model') return modelAddress(id)
  // A key has no page, and a day leads to its models.
  return by === 'day' ? withQuery({ range: 'span', from: id, to: id, by: 'model' }) : undefined
}
