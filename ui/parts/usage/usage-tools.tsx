import type { ComponentChildren } from 'preact'
import { setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { Chips } from '../chips.tsx'
import { Field } from '../field.tsx'
import { Icon } from '../icon.tsx'
import { monthText } from '../month.ts'
import { saveText } from '../save-text.ts'
import { Select } from '../select.tsx'
import type { Grouping } from './measures.ts'
import { usageCsv } from './usage-csv.ts'
import { monthsUntil, todayText } from './usage-range.ts'
import type { ShownUsage, UsageView } from './use-usage.ts'

interface UsageToolsProps {
  readonly view: UsageView
  readonly groupings: readonly Grouping[]
  /** Content of the CSV. Undefined until it is loaded. */
  readonly shown: ShownUsage | undefined
  /** Further choices beside the common ones. */
  readonly children?: ComponentChildren
}

const monthCount = 36

/** Chooses the time, grouping and measure, which are kept in the address. */
export function UsageTools({ view: { range, by, measure }, groupings, shown, children }: UsageToolsProps) {
  const words = texts.usage
  const [firstDay = '', lastDay = ''] = [range.days[0], range.days.at(-1)]
  return (
    <div class="usage-tools">
      <div class="row">
        <Chips
          label={words.range}
          value={range.name}
          choices={words.ranges}
          onChange={(name) => show({ range: name, from: undefined, to: undefined, month: undefined })}
        />
        {range.name === 'month' && <MonthChoice month={firstDay.slice(0, 7)} />}
        {range.name === 'span' && (
          <div class="row">
            <DayField name="from" day={firstDay} />
            <DayField name="to" day={lastDay} />
          </div>
        )}
      </div>
      <div class="row choices">
        <Select
          label={words.by}
          value={by}
          order={groupings}
          choices={words.groups}
          onChange={(chosen) => show({ by: chosen })}
        />
        <Select
          label={words.measure}
          value={measure}
          choices={words.measures}
          onChange={(chosen) => show({ measure: chosen })}
        />
        {children}
        <button type="button" disabled={shown === undefined} onClick={() => shown && saveShown(shown)}>
          <Icon name="download" /> {words.csv}
        </button>
      </div>
    </div>
  )
}

/** Changes the view. Lists below return to their latest rows. */
export function show(changes: Readonly<Record<string, string | undefined>>): void {
  setQuery({ ...changes, before: undefined })
}

function MonthChoice({ month }: { readonly month: string }) {
  const months = monthsUntil(Date.now(), monthCount)
  const known = months.includes(month) ? months : [...months, month]
  return (
    <Select
      label={texts.usage.month}
      value={month}
      choices={Object.fromEntries(known.map((name) => [name, monthText(name)]))}
      onChange={(chosen) => show({ month: chosen })}
    />
  )
}

function DayField({ name, day }: { readonly name: 'from' | 'to'; readonly day: string }) {
  return (
    <Field
      label={texts.usage[name]}
      name={name}
      type="date"
      value={day}
      max={todayText(Date.now())}
      onInput={({ currentTarget: { value } }) => value !== '' && show({ [name]: value })}
    />
  )
}

function saveShown({ by, range, table }: ShownUsage): void {
  const name = `usage-by-${by}-${range.days[0]}-${range.days.at(-1)}.csv`
  saveText(name, usageCsv(by, table), 'text/csv')
}
