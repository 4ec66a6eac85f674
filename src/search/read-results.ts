import { isObject } from '../core/json.ts'
import { maxSearchResults, type SearchResult } from '../core/web-search.ts'

/** Most characters of each field of a result. */
const most = { title: 300, url: 2_048, snippet: 1_000, date: 40 } as const

/** Most results of a search server that are looked at. */
const mostRead = 100

/** Returns the usable results of a search server, the best first, at most ten. Others are left out. */
export function readResults(results: readonly unknown[], isAllowed: (url: URL) => boolean): SearchResult[] {
  const found: SearchResult[] = []
  for (const result of results.slice(0, mostRead)) {
    if (found.length === maxSearchResults) break
    const read = isObject(result) ? readResult(result, isAllowed) : undefined
    if (read !== undefined && !found.some(({ url }) => url === read.url)) found.push(read)
  }
  return found
}

function readResult(
  { url, title, content, publishedDate }: Readonly<Record<string, unknown>>,
  isAllowed: (url: URL) => boolean,
): SearchResult | undefined {
  const address = typeof url === 'string' && url.length <= most.url ? URL.parse(url) : null
  // Escapes may make it longer.
  if (address === null || address.href.length > most.url) return undefined
  if (!['http:', 'https:'].includes(address.protocol)) return undefined
  if (address.username !== '' || address.password !== '' || !isAllowed(address)) return undefined
  const date = line(publishedDate, most.date)
  return {
    title: line(title, most.title) || address.hostname,
    url: address.href,
    snippet: line(content, most.snippet),
    ...(date !== '' && { date }),
  }
}

/** Returns a text as one line without control characters; '' for any other value. */
function line(value: unknown, mostCharacters: number): string {
  if (typeof value !== 'string') return ''
  const text = value.slice(0, 8 * mostCharacters).toWellFormed()
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, mostCharacters)
    .toWellFormed()
}
