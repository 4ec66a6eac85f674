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
  /** Where the row of a day, a model, an account or a key leads to. */
  readonly hrefOf: (by: Grouping, id: string) => string | undefined
  /** More choices. */
  readonly children?: ComponentChildren
}

/** What was used in a time: its total, its days as a picture, and a table; of one account or of all. */
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

/** When a UTC day begins for the reader: "01:00". */
export function dayStartText(): string {
  return minuteTime(new Date().setUTCHours(0, 0, 0, 0))
}
