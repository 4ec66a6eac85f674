import { setQuery } from '../router/router.ts'
import { texts } from '../texts/texts.ts'

/** Shows the button of a list that its filters left empty. `filters` are names in the query. */
export function ShowAll({ filters }: { readonly filters: readonly string[] }) {
  const none = Object.fromEntries([...filters, 'before'].map((name) => [name, undefined]))
  return (
    <button type="button" onClick={() => setQuery(none)}>
      {texts.shared.showAll}
    </button>
  )
}
