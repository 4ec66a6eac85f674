/** Accounts: the server's users and their money, found by search or state, and a button for new ones. */
import { useState } from 'preact/hooks'
import { useResult } from '../../api/operation.ts'
import { Chips } from '../../parts/chips.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { AccountTable } from './account-table.tsx'
import { CreateAccountDialog } from './create-account-dialog.tsx'
import { CreateTeamDialog } from './create-team-dialog.tsx'

type State = keyof typeof texts.accounts.states

export default function Accounts() {
  const [isCreating, setIsCreating] = useState(false)
  const [isTeam, setIsTeam] = useState(false)
  const words = texts.accounts
  const { query } = place.value
  const search = query.get('search') ?? undefined
  const state = stateOf(query.get('state'))
  const answer = useResult('accounts-list', { ...pageQuery(), search, state: state === 'all' ? undefined : state })
  const isFiltered = search !== undefined || state !== 'all'

  const createButton = (
    <May perform="accounts-create">
      <span class="row">
        <button type="button" onClick={() => setIsTeam(true)}>
          {words.createTeam}
        </button>
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          <Icon name="plus" /> {words.create}
        </button>
      </span>
    </May>
  )
  return (
    <Page title={words.title} intro={words.intro} action={createButton}>
      <div class="toolbar">
        <SearchField
          label={words.search}
          value={search ?? ''}
          onSearch={(text) => setQuery({ search: text, before: undefined })}
        />
        <Chips
          label={words.stateLabel}
          value={state}
          choices={words.states}
          onChange={(chosen) => setQuery({ state: chosen === 'all' ? undefined : chosen, before: undefined })}
        />
      </div>
      <Loaded answer={answer} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={isFiltered ? words.nothingFound : words.empty}>
              {isFiltered ? (
                <button
                  type="button"
                  onClick={() => setQuery({ search: undefined, state: undefined, before: undefined })}
                >
                  {words.showAll}
                </button>
              ) : (
                createButton
              )}
            </Empty>
          ) : (
            <>
              <AccountTable rows={rows} />
              <Pager rows={rows} idOf={({ id }) => id} />
            </>
          )
        }
      </Loaded>
      {isTeam && <CreateTeamDialog onClose={() => setIsTeam(false)} />}
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

function stateOf(text: string | null): State {
  const states = Object.keys(texts.accounts.states) as State[]
  return states.find((state) => state === text) ?? 'all'
}
