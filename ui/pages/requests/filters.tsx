/** What requests are looked for, kept in the address. */
import { SearchField } from '../../parts/search-field.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

export interface RequestFilter {
  readonly model?: string
  readonly account?: string
  readonly statusClass?: number
  readonly slowerThanMs?: number
}

export const noFilters = {
  model: undefined,
  account: undefined,
  status: undefined,
  slower: undefined,
  before: undefined,
}

export function readFilter(query: URLSearchParams): RequestFilter {
  const [model, account, status, slower] = ['model', 'account', 'status', 'slower'].map((name) => query.get(name) ?? '')
  const slowerSeconds = Number(slower)
  return {
    ...(model ? { model } : {}),
    ...(account ? { account } : {}),
    ...(status && /^[245]$/.test(status) ? { statusClass: Number(status) } : {}),
    ...(slower && slowerSeconds > 0 ? { slowerThanMs: Math.round(slowerSeconds * 1_000) } : {}),
  }
}

export function Filters() {
  const { query } = place.value
  const words = texts.requests
  const search = (name: 'model' | 'account' | 'slower', label: string) => (
    <SearchField
      label={label}
      value={query.get(name) ?? ''}
      onSearch={(text) => setQuery({ [name]: text, before: undefined })}
    />
  )
  return (
    <fieldset class="filters" aria-label={words.filters}>
      {search('model', words.model)}
      {search('account', words.account)}
      {search('slower', words.slower)}
      <select
        aria-label={words.status}
        value={query.get('status') ?? ''}
        onChange={({ currentTarget }) => setQuery({ status: currentTarget.value, before: undefined })}
      >
        <option value="">{words.anyStatus}</option>
        {Object.entries(words.statuses).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </fieldset>
  )
}
