/** The tool for web searches, which all chat dialects offer to models in the same words. */
import { type Static, Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import { maxSearches, type SearchFilter, type SearchResult, type WebSearch } from '../../core/web-search.ts'

const maxDomains = 100
const domains = `an array of up to ${maxDomains} domains such as "example.com"`

export const optionalDomains = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 300, description: 'a domain such as "example.com"' }), {
    maxItems: maxDomains,
    description: domains,
  }),
)

/** Fields that limit a search to some hosts. */
export const SearchFilterFields = Type.Object({ allowed_domains: optionalDomains, blocked_domains: optionalDomains })

/** Returns the limits. Clients that mean none send empty lists too. */
export function toFilter(fields: Static<typeof SearchFilterFields>): SearchFilter {
  return { allowedDomains: someOf(fields.allowed_domains), blockedDomains: someOf(fields.blocked_domains) }
}

/** Returns the list; undefined for an empty one. */
export function someOf<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list?.length === 0 ? undefined : list
}

export const searchToolName = 'web_search'

/** Returns the search that a request offers beside `others`. Its name differs from theirs. */
export function offeredSearch(
  others: readonly Tool[],
  { maxUses = maxSearches, ...filter }: SearchFilter & { readonly maxUses?: number | undefined },
): WebSearch {
  const names = others.map(({ name }) => name)
  let name = searchToolName
  for (let suffix = 2; names.includes(name); suffix++) name = `${searchToolName}_${suffix}`
  return {
    ...filter,
    tool: { ...definition, name },
    isOnlyTool: others.length === 0,
    maxUses: Math.min(maxUses, maxSearches),
  }
}

const definition: Omit<Tool, 'name'> = {
  description:
    'Searches the web and returns titles, addresses and snippets of pages. Use it for facts that are recent or that you do not know.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What to search for, as in a search engine.' } },
    required: ['query'],
    additionalProperties: false,
  },
}

/** Returns a snippet as clients keep it: they send it back unread, so it is in Base64 and not encrypted. */
export function sealSnippet({ snippet }: SearchResult): string {
  return Buffer.from(snippet).toString('base64')
}

/** Returns the snippet in a client's copy; '' for one that another server encrypted. */
export function openSnippet(sealed: string): string {
  if (!/^[A-Za-z0-9+/]{0,8192}={0,2}$/.test(sealed)) return ''
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(sealed, 'base64'))
  } catch {
    return ''
  }
}
