import type { ComponentChildren } from 'preact'
import type { Answer } from '../../api/use-answer.ts'
import { texts } from '../../texts/texts.ts'
import { Empty, Loaded } from '../loaded.tsx'
import { minuteTime } from '../time-text.ts'
import type { Grouping } from './measures.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageTable, UsageTotal } from './usage-table.tsx'
import { UsageTools } from './usage-tools.tsx'
import type { ShownUsage, UsageView as View } from './use-usage.ts'

interface UsageViewProps {
  readonly view: View
  readonly groupings: readonly Grouping[]
  readonly answer: Answer<ShownUsage>
  /** Returns the target of a row's link, by day, model, account or key. Undefined means no link. */
  readonly hrefOf: (by: Grouping, id: string) => string | undefined
  /** Further choices. */
  readonly children?: ComponentChildren
}

/** Shows usage over a time, of one account or of all: its total, a chart of its days, and a table. */
export function UsageView({ view, groupings, answer, hrefOf, children }: UsageViewProps) {
  return (
    <div class="stack">
      <UsageTools view={view} groupings={groupings} shown={answer.data}>
        {children}
      </UsageTools>
      <Loaded answer={answer} lines={8}>
        {(shown) =>
          shown.table.rows.length === 0 ? (
            <Empty text={texts.usage.empty} />
          ) : (
            <div class="stack">
              <UsageTotal {...shown} />
              <UsageChart {...shown} />
              <UsageTable shown={shown} hrefOf={(id) => hrefOf(shown.by, id)} />
            </div>
          )
        }
      </Loaded>
    </div>
  )
}

/** Returns the local time at which a UTC day begins, such as "01:00". */
export function dayStartText(): string {
  return minuteTime(new Date().setUTCHours(0, 0, 0, 0))
}
