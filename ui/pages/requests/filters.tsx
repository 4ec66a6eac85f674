/** Filters of the list of requests, kept in the address. */
import { SearchField } from '../../parts/search-field.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'

interface RequestFilter {
  readonly model?: string
  readonly account?: string
  readonly key?: string
  readonly endpoint?: string
  readonly statusClass?: number
  readonly slowerThanMs?: number
}

/** Filters that the server matches exactly. */
const exactFilters = ['model', 'account', 'key', 'endpoint'] as const

/** Names of all filters in the query. */
export const filterNames = [...exactFilters, 'status', 'slower']

export function readFilter(query: URLSearchParams): RequestFilter {
  const text = (name: string) => query.get(name) ?? ''
  const status = text('status')
  const slower = text('slower')
  const slowerSeconds = Number(slower)
  return {
    ...Object.fromEntries(exactFilters.map((name) => [name, text(name)]).filter(([, value]) => value !== '')),
    ...(/^[245]$/.test(status) ? { statusClass: Number(status) } : {}),
    ...(slower && slowerSeconds > 0 ? { slowerThanMs: Math.round(slowerSeconds * 1_000) } : {}),
  }
}

export function Filters() {
  const { query } = place.value
  const words = texts.requests
  const search = (name: 'model' | 'account' | 'key' | 'slower', label: string) => (
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
      {search('key', words.keyId)}
      {search('slower', words.slower)}
      <select
        aria-label={words.endpoint}
        value={query.get('endpoint') ?? ''}
        onChange={({ currentTarget }) => setQuery({ endpoint: currentTarget.value, before: undefined })}
      >
        <option value="">{words.anyEndpoint}</option>
        {words.endpoints.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
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
