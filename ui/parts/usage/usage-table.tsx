import type { ComponentChildren } from 'preact'
import { texts } from '../../texts/texts.ts'
import { Figures } from '../figures.tsx'
import { type Column, Table } from '../table.tsx'
import { countText, exactText, measures, minutesText, nameOf, type Row, type Sums, shareText } from './measures.ts'
import { todayText } from './usage-range.ts'
import type { ShownUsage } from './use-usage.ts'

const { columns: titles } = texts.usage

interface Figure {
  /** Returns false for a kind of use that did not occur, which is left out. */
  readonly isShown: (total: Sums) => boolean
  readonly column: Column<Row>
  readonly total: (total: Sums) => string
}

const figures: readonly Figure[] = [
  { ...counted(titles.requests, ({ requests }) => requests), isShown: () => true },
  counted(titles.prompt, ({ promptTokens }) => promptTokens),
  counted(titles.cached, ({ cachedTokens }) => cachedTokens),
  counted(titles.completion, ({ completionTokens }) => completionTokens),
  counted(titles.characters, ({ characters }) => characters),
  {
    isShown: ({ audioMs }) => audioMs > 0,
    column: { title: titles.audio, isNumber: true, cell: ({ audioMs }) => minutesText(audioMs) },
    total: ({ audioMs }) => minutesText(audioMs),
  },
  counted(titles.images, ({ images }) => images),
  counted(titles.estimated, ({ estimatedRequests }) => estimatedRequests),
  {
    isShown: ({ estimatedCostUsd }) => Number(estimatedCostUsd) > 0,
    column: { title: titles.estimatedCost, usd: ({ estimatedCostUsd }) => estimatedCostUsd },
    total: ({ estimatedCostUsd }) => exactText(estimatedCostUsd),
  },
  {
    isShown: ({ costUsd, chargedUsd }) => costUsd !== chargedUsd,
    column: { title: titles.charged, usd: ({ chargedUsd }) => chargedUsd },
    total: ({ chargedUsd }) => exactText(chargedUsd),
  },
]

function counted(title: string, of: (sums: Sums) => number): Figure {
  return {
    isShown: (total) => of(total) > 0,
    column: { title, isNumber: true, cell: (row) => countText(of(row)) },
    total: (total) => countText(of(total)),
  }
}

/** Shows the sums of all rows, computed by the server. */
export function UsageTotal({ table: { total }, range: { days } }: ShownUsage) {
  const shown = figures.filter(({ isShown }) => isShown(total))
  const hasToday = days.at(-1) === todayText(Date.now())
  return (
    <section class="usage-total card" aria-label={texts.usage.total}>
      <p>
        <span class="muted">{texts.usage.total}</span> <b class="money">{exactText(total.costUsd)}</b>
        {hasToday && <span class="muted"> {texts.usage.untilNow}</span>}
      </p>
      <Figures items={shown.map(({ column: { title }, total: textOf }) => [title, textOf(total)] as const)} />
    </section>
  )
}

interface UsageTableProps {
  readonly shown: ShownUsage
  /** Returns the address that a row links to. */
  readonly hrefOf: (id: string) => string | undefined
}

/** Shows the sums with each row's share, the largest first, or days from the last one back. */
export function UsageTable({ shown: { table, by, measure }, hrefOf }: UsageTableProps) {
  const words = texts.usage
  const { rows, total } = table
  const { size } = measures[measure]
  const today = todayText(Date.now())
  const name = (row: Row): ComponentChildren => {
    const group = row.groups.at(-1)
    if (group === undefined) return null
    const href = group.id === '' ? undefined : hrefOf(group.id)
    return (
      <>
        {href === undefined ? (
          <span class={by === 'day' ? 'whole' : 'breaks'}>{nameOf(group)}</span>
        ) : (
          <a href={href} class={by === 'day' ? 'whole' : 'breaks'}>
            {nameOf(group)}
          </a>
        )}
        {group.id === today && <span class="muted"> {words.unfinished}</span>}
      </>
    )
  }
  return (
    <Table
      caption={words.caption}
      rows={by === 'day' ? rows.toReversed() : rows}
      rowKey={({ groups }) => groups.map(({ id }) => id).join(' ')}
      columns={[
        { title: words.groups[by], cell: name },
        ...figures.filter(({ isShown }) => isShown(total)).map(({ column }) => column),
        { title: titles.cost, usd: ({ costUsd }) => costUsd },
        {
          ...{ title: titles.share(words.measures[measure]), isNumber: true },
          cell: (row) => shareText(size(row), size(total)),
        },
      ]}
    />
  )
}
