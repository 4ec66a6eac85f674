import type { ChatRequest } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { SearchService } from '../core/web-search.ts'

/**
 * Returns the request with the tool for web searches, or without it on a server that has no search. Throws ApiError 400
 * if the request is about a search and nothing else: agents offer the tool beside others, and work without it.
 */
export function withOfferedSearch(request: ChatRequest, service: SearchService | undefined): ChatRequest {
  const { webSearch, toolChoice } = request
  if (webSearch === undefined) return request
  if (service !== undefined) return { ...request, appended: { messages: [], tools: [webSearch.tool] } }
  const { mode, allowed } = toolChoice
  const others = allowed?.filter((name) => name !== webSearch.tool.name)
  const isNeeded = webSearch.isOnlyTool || others?.length === 0
  // An agent takes a 404 for a missing model and does not show the message.
  if (mode !== 'none' && isNeeded) {
    throw new ApiError('invalid_request', noWebSearch, { code: 'unsupported_parameter', param: 'tools' })
  }
  return { ...request, webSearch: undefined, toolChoice: { mode, ...(others?.length && { allowed: others }) } }
}

const noWebSearch =
  'This server does not search the web: its operator can name a SearXNG server by the setting search-url.'

/** Returns the error of an endpoint for searches. */
export function noSearchEndpoint(): ApiError {
  return new ApiError('not_found', noWebSearch, { code: 'not_supported' })
}
