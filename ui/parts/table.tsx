import type { ComponentChildren } from 'preact'
import { AlignedMoney } from './money.tsx'
import { decimalsOf } from './money-text.ts'

export type Column<Row> = TextColumn<Row> | MoneyColumn<Row>

interface TextColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** True to leave the column out while all its cells are empty. */
  readonly isOptional?: boolean
  /** True to align figures to the right. */
  readonly isNumber?: boolean
}

interface MoneyColumn<Row> {
  readonly title: string
  /** Returns exact decimal USD. Null leaves the cell empty. Decimal points are aligned. */
  readonly usd: (row: Row) => string | null
  /** True to mark positive amounts with a plus sign. */
  readonly isChange?: boolean
}

interface TableProps<Row> {
  /** Caption for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Returns the title of a row's group. Rows of a group stand together below it, in the columns of all. */
  readonly groupOf?: (row: Row) => string
}

/** Shows a table. On narrow screens its rows become cards, with each cell beside its column's title. */
export function Table<Row>({ caption, columns, rows, rowKey, groupOf }: TableProps<Row>) {
  const shown = columns
    .filter((column) => !isIdle(column, rows))
    .map((column) => ({ title: column.title, ...drawn(column, rows) }))
  const groups = groupOf === undefined ? [['', rows] as const] : [...Map.groupBy(rows, groupOf)]
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
      {groups.map(([group, ofGroup]) => (
        <tbody key={group}>
          {group !== '' && (
            <tr>
              <th scope="rowgroup" colSpan={shown.length}>
                {group}
              </th>
            </tr>
          )}
          {ofGroup.map((row) => (
            <tr key={rowKey(row)}>
              {shown.map(({ title, cell, isNumber }) => (
                <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                  <span class="cell">{cell(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}

function isIdle<Row>(column: Column<Row>, rows: readonly Row[]): boolean {
  if (!('cell' in column) || column.isOptional !== true) return false
  return rows.every((row) => [null, undefined, false, ''].includes(column.cell(row) as null))
}

/** Returns how to draw a column's cells. Amounts keep room for the most decimals among them. */
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
