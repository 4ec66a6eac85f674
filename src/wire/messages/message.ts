import { createHash } from 'node:crypto'
import type { ChatEvent } from '../../core/chat.ts'
import { objectIn } from '../../core/json.ts'
import type { Consumption, Usage } from '../../core/usage.ts'
import type { SearchOutcome } from '../../core/web-search.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { sealSnippet, searchToolName } from '../chat/search-tool.ts'

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }
  | SearchUse
  | SearchResultBlock

interface SearchUse {
  readonly type: 'server_tool_use'
  readonly id: string
  readonly name: string
  readonly input: object
  readonly caller: typeof directCaller
}

interface SearchResultBlock {
  readonly type: 'web_search_tool_result'
  readonly tool_use_id: string
  readonly caller: typeof directCaller
  /** Results, or an error. */
  readonly content: object
}

/** The model itself called the tool. */
const directCaller = { type: 'direct' } as const

/** Returns the block of a search, without its query. */
export function searchUse(id: string): SearchUse {
  return { type: 'server_tool_use', id, name: searchToolName, input: {}, caller: directCaller }
}

/** Returns the block of a search's outcome. Clients list its links. */
export function searchResultBlock(id: string, outcome: SearchOutcome): SearchResultBlock {
  return { type: 'web_search_tool_result', tool_use_id: id, caller: directCaller, content: resultContent(outcome) }
}

function resultContent(outcome: SearchOutcome): object {
  if (outcome.type === 'problem') return { type: 'web_search_tool_result_error', error_code: outcome.problem }
  return outcome.results.map((result) => ({
    type: 'web_search_result',
    title: result.title,
    url: result.url,
    encrypted_content: sealSnippet(result),
    page_age: result.date ?? null,
  }))
}

interface MessageParts {
  readonly id: string
  /** Model id as the client spelled it. */
  readonly model: string
  readonly content: readonly ContentBlock[]
  /** Reason of the end. Null while the message is being written. */
  readonly stop: WireStop | null
  readonly usage: Consumption
}

/** Returns a message, whole or as at the beginning of a stream. */
export function toMessage({ id, model, content, stop, usage }: MessageParts) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stop?.stop_reason ?? null,
    stop_sequence: stop?.stop_sequence ?? null,
    stop_details: null,
    container: null,
    usage: {
      ...toDeltaUsage(usage),
      cache_creation: null,
      service_tier: 'standard',
      server_tool_use: toServerToolUse(usage) ?? null,
    },
  } as const
}

/** Returns token counts for the end of a stream. */
export function toDeltaUsage({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage) {
  return {
    // Excludes cached tokens: clients add `cache_read_input_tokens` to it.
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    // Includes reasoning.
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}

/** Returns the counts of what the server did for the model; undefined if it did nothing. */
export function toServerToolUse({ searches }: Consumption): object | undefined {
  return searches === undefined ? undefined : { web_search_requests: searches, web_fetch_requests: 0 }
}

export interface WireStop {
  readonly stop_reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'model_context_window_exceeded'
  readonly stop_sequence: string | null
}

type ChoiceFinish = Extract<ChatEvent, { type: 'choice-finish' }>

/**
 * Returns the reason why a message ended. A complete call always gives `tool_use`, the only reason on which agents run
 * calls.
 */
export function toStop({ reason, stopString, isContextFull }: ChoiceFinish, hasCalls: boolean): WireStop {
  if (reason === 'length') {
    return { stop_reason: isContextFull === true ? 'model_context_window_exceeded' : 'max_tokens', stop_sequence: null }
  }
  if (hasCalls) return { stop_reason: 'tool_use', stop_sequence: null }
  if (stopString !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: stopString }
  return { stop_reason: 'end_turn', stop_sequence: null }
}

/**
 * Returns whether text is white space alone. Models write some between thinking and calls. A block of it is
 * meaningless, and other vendors refuse it when the conversation moves to them.
 */
export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}

/**
 * Returns the `signature` of a thinking block: clients insist on a string and send it back. With `isTextOmitted` the
 * client does not receive the thinking; the signature then holds it, so that the model still knows the reasons for its
 * calls. Otherwise it is a plain digest that is never checked, since conversations move between servers and vendors.
 */
export function signatureOf(thinking: string, { isTextOmitted }: { readonly isTextOmitted: boolean }): string {
  return isTextOmitted ? sealReasoning(thinking) : createHash('sha256').update(thinking).digest('base64').slice(0, 24)
}

/**
 * Returns a call's input. A cut call is an empty object: the field has no room for text, and `stop_reason` says that it
 * was cut.
 */
export function toInput(argumentsText: string): object {
  return objectIn(argumentsText) ?? {}
}
