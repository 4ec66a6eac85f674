/** The tool `web_search`, by which the server searches the web. */
import { Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import type { SearchOutcome, SearchResult, WebSearch } from '../../core/web-search.ts'
import { offeredSearch, SearchFilterFields, toFilter } from '../chat/search-tool.ts'
import { check, optionalInteger, presentFields } from '../check.ts'
import type { AnswerItem } from '../dialect.ts'
import type { ItemPlace } from './output-item.ts'

/** Returns whether a tool, or the choice of one, is the search. Clients name several versions of it. */
export function isWebSearch(type: unknown): boolean {
  return typeof type === 'string' && /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)
}

const Limit = Type.Object({ max_tool_calls: optionalInteger(1) })

interface ToolList {
  readonly tools: unknown
  readonly path: string
}

/**
 * Returns the search in the lists of tools, the last one if there are several. `others` are the other tools of the
 * request, `fields` its fields. Throws ApiError 400 for invalid filters, and for an invalid limit of searches.
 */
export function parseWebSearch(
  lists: readonly ToolList[],
  others: readonly Tool[],
  fields: Readonly<Record<string, unknown>>,
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
  const filter = check(SearchFilterFields, presentFields(last.tool.filters ?? {}, filtersPath), filtersPath)
  return offeredSearch(others, { maxUses: check(Limit, fields).max_tool_calls, ...toFilter(filter) })
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

/** Returns the citations of an answer: the places where it names the addresses of results, in order of the text. */
export function citationsIn(text: string, results: readonly SearchResult[]): object[] {
  const titles = new Map(results.map(({ url, title }) => [url, title]))
  const found = [...titles].flatMap(([url, title]) => {
    const at = placeOf(url, text)
    return at < 0 ? [] : [{ at, url, title }]
  })
  return found
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, url, title }) => ({ type: 'url_citation', start_index: at, end_index: at + url.length, url, title }))
}

/** Returns where the text first names the address, and not a longer one; -1 if nowhere. */
function placeOf(url: string, text: string): number {
  let at = text.indexOf(url)
  while (at >= 0 && /^[.,:;!?#&=]*[\w/%~+@-]/.test(text.slice(at + url.length, at + url.length + 8))) {
    at = text.indexOf(url, at + url.length)
  }
  return at
}
