import { place, setQuery } from '../router/router.ts'
import { texts } from '../texts/texts.ts'

/** Rows per page of a list. */
const rowsPerPage = 50

/** Returns the query of a page. It asks for one row more than is shown, which tells whether older rows exist. */
export function pageQuery(): { readonly limit: number; readonly before: string | undefined } {
  return { limit: rowsPerPage + 1, before: place.value.query.get('before') ?? undefined }
}

export function shownRows<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.slice(0, rowsPerPage)
}

interface PagerProps<Row> {
  /** Rows of the answer to `pageQuery`, one more than shown if older rows exist. */
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
}

/** Moves to older rows of a list and back to the latest ones. The position is kept in the address. */
export function Pager<Row>({ rows, idOf }: PagerProps<Row>) {
  const isFirst = place.value.query.get('before') === null
  const last = shownRows(rows).at(-1)
  const hasOlder = rows.length > rowsPerPage && last !== undefined
  if (isFirst && !hasOlder) return null
  return (
    <nav class="row pager" aria-label={texts.shared.pagesOfList}>
      <button type="button" disabled={isFirst} onClick={() => setQuery({ before: undefined })}>
        {texts.shared.latest}
      </button>
      <button type="button" disabled={!hasOlder} onClick={() => last !== undefined && setQuery({ before: idOf(last) })}>
        {texts.shared.older}
      </button>
    </nav>
  )
}
