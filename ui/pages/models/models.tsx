/** Models: those on this disk, those in memory, and the way to get more. */
import { useState } from 'preact/hooks'
import { Chips } from '../../parts/chips.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { GetDialog } from './get/get-dialog.tsx'
import { type Filter, filters, isFilter, type LiveModel } from './model-state.ts'
import { ModelTable } from './model-table.tsx'
import { useModelActions } from './use-model-actions.tsx'
import { useModels } from './use-models.ts'

export default function Models() {
  const { answer, live, withLive, reload } = useModels()
  const { actionsOf, dialog } = useModelActions(reload)
  const [isGetting, setIsGetting] = useState(false)
  const getButton = (
    <button type="button" class="primary" onClick={() => setIsGetting(true)}>
      <Icon name="download" /> {texts.models.get}
    </button>
  )
  return (
    <Page title={texts.models.title} intro={texts.models.intro} action={getButton}>
      <Loaded answer={answer} lines={6}>
        {({ models, problems }) => (
          <div class="stack">
            <Listed models={models.map(withLive)} actionsOf={actionsOf} />
            {problems.length > 0 && (
              <details>
                <summary class="warn">{texts.models.problems}</summary>
                <ul class="plain-list">
                  {problems.map((problem) => (
                    <li key={problem.file}>
                      <code>{problem.file}</code>: {problem.reason}
                    </li>
                  ))}
                </ul>
              </details>
            )}
            <LiveNote live={live} />
          </div>
        )}
      </Loaded>
      {isGetting && <GetDialog onClose={() => setIsGetting(false)} onChanged={reload} />}
      {dialog}
    </Page>
  )
}

interface ListedProps {
  readonly models: readonly LiveModel[]
  readonly actionsOf: Parameters<typeof ModelTable>[0]['actionsOf']
}

/** Shows the filters, and the models that pass them. */
function Listed({ models, actionsOf }: ListedProps) {
  const { query } = place.value
  const filter = readFilter(query.get('show'))
  const type = query.get('type') ?? ''
  const search = query.get('search') ?? ''
  const shown = models.filter(
    (model) =>
      filters[filter](model) &&
      (type === '' || model.row.type === type) &&
      [model.row.id, ...model.row.aliases].some((name) => name.toLowerCase().includes(search.toLowerCase())),
  )
  const types = [...new Set(models.map(({ row }) => row.type))].sort()
  const words = Object.entries(texts.models.filters).map(([name, word]) => {
    const count = isFilter(name) ? models.filter(filters[name]).length : 0
    return [name, texts.models.counted(word, count)]
  })
  return (
    <>
      <div class="filters">
        <Chips<Filter>
          label={texts.models.filter}
          value={filter}
          choices={Object.fromEntries(words) as Record<Filter, string>}
          onChange={(show) => setQuery({ show: show === 'all' ? undefined : show })}
        />
        <select
          aria-label={texts.models.type}
          value={type}
          onChange={({ currentTarget }) => setQuery({ type: currentTarget.value })}
        >
          <option value="">{texts.models.anyType}</option>
          {types.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <SearchField label={texts.models.search} value={search} onSearch={(text) => setQuery({ search: text })} />
      </div>
      {shown.length === 0 ? (
        <Empty text={texts.models.emptyFilter}>
          <button type="button" onClick={() => setQuery({ show: undefined, type: undefined, search: undefined })}>
            {texts.models.showAll}
          </button>
        </Empty>
      ) : (
        <ModelTable models={shown} actionsOf={actionsOf} />
      )}
    </>
  )
}

function readFilter(text: string | null): Filter {
  return text !== null && isFilter(text) ? text : 'all'
}
