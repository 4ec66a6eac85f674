/** Web search that the server does for a model or a client: queries, results, and their text for models. */
import type { Tool } from './chat.ts'

/** Most searches of one answer, and most queries of one search request. */
export const maxSearches = 8
/** Most results of a search. */
export const maxSearchResults = 10
/** Most characters of a query. */
export const maxQueryCharacters = 1_000

/** Hosts whose pages may be results, each perhaps with the beginning of a path: `example.com/docs`. */
export interface SearchFilter {
  /** Undefined allows all. */
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
}

/** Web search that a chat request offers its model. */
export interface WebSearch extends SearchFilter {
  /** Definition for the model. It is not among the request's other tools. */
  readonly tool: Tool
  /** True if the request offers no other tools. */
  readonly isOnlyTool: boolean
  /** Most searches of the answer, 1..8. */
  readonly maxUses: number
}

export interface SearchQuery extends SearchFilter {
  readonly text: string
  /** Oldest age of results in days. Undefined allows any. */
  readonly recencyDays?: number | undefined
}

export interface SearchResult {
  readonly title: string
  readonly url: string
  /** Piece of the page's text. */
  readonly snippet: string
  /** Date of the page as the search server states it. */
  readonly date?: string | undefined
}

export type SearchProblem =
  | 'unavailable'
  | 'max_uses_exceeded'
  | 'invalid_tool_input'
  | 'too_many_requests'
  | 'query_too_long'

export type SearchOutcome =
  | { readonly type: 'results'; readonly results: readonly SearchResult[] }
  | { readonly type: 'problem'; readonly problem: SearchProblem }

/** Searches the web for an account. A failure is an outcome; throws only the signal's reason. */
export type SearchTheWeb = (query: SearchQuery, accountId: string, signal: AbortSignal) => Promise<SearchOutcome>

/** Search server of the operator. */
export interface SearchService {
  readonly search: SearchTheWeb
  /** Price of a search that gives an answer. */
  readonly priceNanoUsd: number
}

const problemTexts: Readonly<Record<SearchProblem, string>> = {
  unavailable: 'The search failed. Answer without it, and say so.',
  max_uses_exceeded: 'No more searches are allowed in this answer.',
  invalid_tool_input: 'The search needs a query.',
  too_many_requests: 'The search server takes no more searches now. Answer without it, and say so.',
  query_too_long: `A query has at most ${maxQueryCharacters} characters.`,
}

/** Returns the outcome of a search as text for a model. */
export function searchText(outcome: SearchOutcome): string {
  if (outcome.type === 'problem') return problemTexts[outcome.problem]
  if (outcome.results.length === 0) return 'Nothing was found.'
  return withoutControlTokens(outcome.results.map(resultText).join('\n\n'))
}

/**
 * Returns text of strangers with a space in all that may be a control token of a chat template, such as `<|im_end|>` or
 * `[INST]`: engines read those in any message, and a page could end its turn and speak as the user.
 */
export function withoutControlTokens(text: string): string {
  return text.replace(/<(?=\S)|\[(?=\/?[A-Z_]+\])/g, '$& ')
}

function resultText({ title, url, date, snippet }: SearchResult, index: number): string {
  const dated = date === undefined ? url : `${url} (${date})`
  return [`[${index + 1}] ${title}`, dated, snippet].filter((line) => line !== '').join('\n')
}
