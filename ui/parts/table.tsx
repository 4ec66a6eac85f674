import type { ComponentChildren } from 'preact'
import { AlignedMoney } from './money.tsx'
import { decimalsOf } from './money-text.ts'

export type Column<Row> = TextColumn<Row> | MoneyColumn<Row>

interface TextColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Figures stand right, one below the other. */
  readonly isNumber?: boolean
}

interface MoneyColumn<Row> {
  readonly title: string
  /** Exact decimal USD; null leaves the cell empty. Amounts stand with their points one below the other. */
  readonly usd: (row: Row) => string | null
  /** What comes in is marked by a plus. */
  readonly isChange?: boolean
}

export interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** A table, whose rows become cards on narrow screens: each cell then stands beside the title of its column. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  const shown = columns.map((column) => ({ title: column.title, ...drawn(column, rows) }))
  return (
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {shown.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {shown.map(({ title, cell, isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                <span class="cell">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How the cells of a column are drawn: amounts with room for the decimals of all of them. */
function drawn<Row>(column: Column<Row>, rows: readonly Row[]) {
  if ('cell' in column) return { cell: column.cell, isNumber: column.isNumber === true }
  const { usd: usdOf, isChange = false } = column
  const decimals = Math.max(0, ...rows.map((row) => decimalsOf(usdOf(row) ?? '0')))
  const cell = (row: Row) => {
    const usd = usdOf(row)
    return usd === null ? null : <AlignedMoney usd={usd} decimals={decimals} isChange={isChange} />
  }
  return { cell, isNumber: true }
}
