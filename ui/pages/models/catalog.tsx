import { Chips } from '../../parts/chips.tsx'
import { Empty } from '../../parts/loaded.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { ShowAll } from '../../parts/show-all.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { catalogOrder, purposes } from './catalog-order.ts'
import type { ActionsOf } from './model-buttons.tsx'
import { type Filter, filters, isFilter, type LiveModel } from './model-state.ts'
import { ModelTable } from './model-table.tsx'

interface CatalogProps {
  readonly models: readonly LiveModel[]
  readonly actionsOf: ActionsOf
}

/** Shows the filters, and the models that pass them. */
export function Catalog({ models, actionsOf }: CatalogProps) {
  const { query } = place.value
  const filter = readFilter(query.get('show'))
  const purpose = query.get('type') ?? ''
  const search = (query.get('search') ?? '').toLowerCase()
  const shown = models.filter(
    (model) =>
      filters[filter](model) &&
      (purpose === '' || model.row.purpose === purpose) &&
      [model.row.id, ...model.row.aliases, model.row.why ?? ''].some((text) => text.toLowerCase().includes(search)),
  )
  const words = Object.entries(texts.models.filters).map(([name, word]) => {
    const count = isFilter(name) ? models.filter(filters[name]).length : 0
    return [name, texts.models.counted(word, count)]
  })
  const known = new Set(models.map(({ row }) => row.purpose))
  return (
    <section aria-labelledby="catalog">
      <h2 id="catalog">{texts.models.catalog}</h2>
      <div class="filters">
        <Chips<Filter>
          label={texts.models.filter}
          value={filter}
          choices={Object.fromEntries(words) as Record<Filter, string>}
          onChange={(show) => setQuery({ show: show === 'all' ? undefined : show })}
        />
        <select
          aria-label={texts.models.type}
          value={purpose}
          onChange={({ currentTarget }) => setQuery({ type: currentTarget.value })}
        >
          <option value="">{texts.models.anyType}</option>
          {purposes
            .filter((each) => known.has(each))
            .map((each) => (
              <option key={each} value={each}>
                {texts.shared.purposes[each]}
              </option>
            ))}
        </select>
        <SearchField
          label={texts.models.search}
          value={query.get('search') ?? ''}
          onSearch={(text) => setQuery({ search: text })}
        />
      </div>
      {shown.length === 0 ? (
        <Empty text={texts.models.emptyFilter}>
          <ShowAll filters={['show', 'type', 'search']} />
        </Empty>
      ) : (
        <ModelTable models={catalogOrder(shown)} actionsOf={actionsOf} />
      )}
    </section>
  )
}

function readFilter(text: string | null): Filter {
  return text !== null && isFilter(text) ? text : 'all'
}
