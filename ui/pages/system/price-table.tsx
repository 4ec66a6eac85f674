import { May } from '../../parts/may.tsx'
import { Money } from '../../parts/money.tsx'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/system-texts.ts'
import { type Priced, type PriceName, usdOf } from './price-names.ts'

interface PriceTableProps {
  readonly caption: string
  readonly rows: readonly Priced[]
  /** Prices that these models have. */
  readonly names: readonly PriceName[]
  /** Title of the cost of a thousand typical requests. Undefined where the price itself is as plain. */
  readonly thousand: string | undefined
  readonly onChange: (row: Priced) => void
}

/** Shows models whose prices have the same unit. */
export function PriceTable({ caption, rows, names, thousand, onChange }: PriceTableProps) {
  const words = texts.system
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ model }) => model}
      columns={[
        { title: words.model, cell: ({ model }) => <b>{model}</b> },
        ...names.map((name) => ({
          title: words.priceNames[name],
          usd: ({ inForce }: Priced) => usdOf(inForce, name) ?? null,
        })),
        ...(thousand === undefined
          ? []
          : [{ title: thousand, usd: ({ inForce }: Priced) => inForce?.thousandUsd ?? null }]),
        ...(rows.some(({ needsRestart }) => needsRestart)
          ? [
              {
                title: words.nextStart,
                cell: (row: Priced) => row.needsRestart && <NextPrices row={row} names={names} thousand={thousand} />,
              },
            ]
          : []),
        {
          title: words.action,
          cell: (row) =>
            row.isNoncommercial ? (
              <span class="muted">{words.noncommercial}</span>
            ) : (
              <May perform="prices-set">
                <button
                  type="button"
                  class="small"
                  aria-label={words.changeSetting(row.model)}
                  onClick={() => onChange(row)}
                >
                  {words.change}
                </button>
              </May>
            ),
        },
      ]}
    />
  )
}

/** Shows the prices of the next start, and what a thousand typical requests then cost. */
function NextPrices({
  row: { next },
  names,
  thousand,
}: Pick<PriceTableProps, 'names' | 'thousand'> & { readonly row: Priced }) {
  const words = texts.system
  if (next === null) return <span class="warn">{words.noPrices}</span>
  return (
    <span class="warn">
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          {words.priceNames[name]} <Money usd={usdOf(next, name) ?? '0'} />
        </span>
      ))}
      {thousand !== undefined && (
        <>
          , {thousand} <Money usd={next.thousandUsd} />
        </>
      )}
    </span>
  )
}
