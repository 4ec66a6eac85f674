/** The tool `web_search`, by which the server searches the web. */
import { Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { maxSearches, type SearchOutcome, type SearchResult, type WebSearch } from '../../core/web-search.ts'
import { offeredSearch, optionalDomains } from '../chat/search-tool.ts'
import { check, presentFields } from '../check.ts'
import type { AnswerItem } from '../dialect.ts'
import type { ItemPlace } from './output-item.ts'

/** Returns whether a tool, or the choice of one, is the search. Clients name several versions of it. */
export function isWebSearch(type: unknown): boolean {
  return typeof type === 'string' && /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)
}

const Filters = Type.Object({ allowed_domains: optionalDomains, blocked_domains: optionalDomains })

interface ToolList {
  readonly tools: unknown
  readonly path: string
}

/**
 * Returns the search in the lists of tools, the last one if there are several. `others` are the other tools of the
 * request. Throws ApiError 400 for invalid filters.
 */
export function parseWebSearch(
  lists: readonly ToolList[],
  others: readonly Tool[],
  maxToolCalls: unknown,
): WebSearch | undefined {
  const found = lists.flatMap(({ tools, path }) => {
    const all: readonly unknown[] = Array.isArray(tools) ? tools : []
    return all.flatMap((tool, index) =>
      isObject(tool) && isWebSearch(tool.type) ? { tool, path: `${path}[${index}]` } : [],
    )
  })
  const last = found.at(-1)
  if (last === undefined) return undefined
  const filtersPath = `${last.path}.filters`
  const { allowed_domains: allowedDomains, blocked_domains: blockedDomains } = check(
    Filters,
    presentFields(last.tool.filters ?? {}, filtersPath),
    filtersPath,
  )
  const isLimited = Number.isSafeInteger(maxToolCalls) && Number(maxToolCalls) > 0
  return offeredSearch(others, {
    maxUses: isLimited ? Number(maxToolCalls) : maxSearches,
    ...(allowedDomains !== undefined && { allowedDomains }),
    ...(blockedDomains !== undefined && { blockedDomains }),
  })
}

/** A search as an item of the output. */
export interface SearchItem {
  /** Events that announce the item. */
  readonly opened: readonly string[]
  /** Returns the finished item, and the events that end it. */
  finish(outcome: SearchOutcome): { readonly item: AnswerItem; readonly frames: readonly string[] }
}

export function searchItem(query: string, { writer, newId, outputIndex }: ItemPlace): SearchItem {
  const id = newId('ws_')
  const position = { output_index: outputIndex, item_id: id }
  const value = (status: string, sources?: readonly object[]) => ({
    id,
    type: 'web_search_call',
    status,
    action: { type: 'search', query, queries: [query], ...(sources !== undefined && { sources }) },
  })
  const event = (name: string) => writer.event(`response.web_search_call.${name}`, position)
  return {
    opened: [writer.added(outputIndex, value('in_progress')), event('in_progress'), event('searching')],
    finish: (outcome) => {
      const hasFailed = outcome.type === 'problem'
      const sources = hasFailed ? [] : outcome.results.map(({ url }) => ({ type: 'url', url }))
      const item = value(hasFailed ? 'failed' : 'completed', sources)
      return { item, frames: [...(hasFailed ? [] : [event('completed')]), writer.done(outputIndex, item)] }
    },
  }
}

/** Returns the citations of an answer: the places where it names the address of a result, in order of the text. */
export function citationsIn(text: string, results: readonly SearchResult[]): object[] {
  const found = results.flatMap(({ url, title }) => {
    const at = text.indexOf(url)
    return at < 0 || /[\w/-]/.test(text[at + url.length] ?? '') ? [] : [{ at, url, title }]
  })
  return found
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, url, title }) => ({ type: 'url_citation', start_index: at, end_index: at + url.length, url, title }))
}
