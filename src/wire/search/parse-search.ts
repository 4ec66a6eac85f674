/** POST /alpha/search, by which the Codex agent searches the web itself. */
import { Type } from '@sinclair/typebox'
import { isObject } from '../../core/json.ts'
import {
  maxQueryCharacters,
  maxSearches,
  type SearchFilter,
  type SearchOutcome,
  type SearchQuery,
  searchText,
} from '../../core/web-search.ts'
import { optionalDomains, SearchFilterFields, someOf, toFilter } from '../chat/search-tool.ts'
import { check, invalidValue, optionalAny, presentFields } from '../check.ts'

export const SearchBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'the id of a model' })),
  commands: Type.Optional(
    Type.Unknown({ description: 'an object with search_query', examples: [{ search_query: [{ q: 'inferd' }] }] }),
  ),
  settings: optionalAny,
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1, description: 'an integer of at least 1' })),
})

const Query = Type.Object({
  q: Type.String({ maxLength: maxQueryCharacters, description: `a string of up to ${maxQueryCharacters} characters` }),
  recency: Type.Optional(Type.Integer({ minimum: 0, description: 'a number of days' })),
  domains: optionalDomains,
})

/** Searches that a client asks for. */
export interface SearchCall {
  readonly model: string | undefined
  readonly queries: readonly SearchQuery[]
  /** Names of further commands, which this server does not carry out. */
  readonly otherCommands: readonly string[]
  readonly maxOutputTokens: number | undefined
}

/** Translates a whole body. Throws ApiError 400. */
export function parseSearch(body: unknown): SearchCall {
  const fields = check(SearchBody, presentFields(body))
  const { search_query: searchQuery, response_length: _, ...others } = presentFields(fields.commands ?? {}, 'commands')
  const queries = toQueries(searchQuery, parseFilters(fields.settings))
  return {
    model: fields.model,
    queries,
    otherCommands: Object.keys(others).filter((name) => !Array.isArray(others[name]) || others[name].length > 0),
    maxOutputTokens: fields.max_output_tokens,
  }
}

function parseFilters(settings: unknown): SearchFilter {
  const path = 'settings.filters'
  const { filters } = presentFields(settings ?? {}, 'settings')
  return isObject(filters) ? toFilter(check(SearchFilterFields, presentFields(filters, path), path)) : {}
}

function toQueries(value: unknown, filter: SearchFilter): SearchQuery[] {
  const path = 'commands.search_query'
  if (value === undefined) return []
  const most = `an array of up to ${maxSearches} queries`
  if (!Array.isArray(value) || value.length > maxSearches) throw invalidValue(path, most)
  return value.flatMap((entry, index) => {
    const place = `${path}[${index}]`
    const { q, recency, domains } = check(Query, presentFields(entry, place), place)
    const text = q.toWellFormed().trim()
    if (text === '') return []
    return { text, recencyDays: recency, ...filter, allowedDomains: someOf(domains) ?? filter.allowedDomains }
  })
}

const charactersOfToken = 4
/** Longest names of commands that an answer repeats. */
const mostNameCharacters = 40

/** Returns the answer: text for the agent's model. */
export function toSearchAnswer(call: SearchCall, outcomes: readonly SearchOutcome[]): object {
  const found = outcomes.map((outcome, index) => `# ${call.queries[index]?.text ?? ''}\n\n${searchText(outcome)}`)
  const notes = call.otherCommands
    .slice(0, maxSearches)
    .map(
      (name) =>
        `'${name.slice(0, mostNameCharacters)}' is not done here: this server only searches, and opens no page.`,
    )
  const text = [...found, ...notes].join('\n\n') || 'There was nothing to search for.'
  const most = (call.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charactersOfToken
  return { output: text.slice(0, most).toWellFormed() }
}
