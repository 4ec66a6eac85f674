/** An answer whose model searches the web: passes of the engine with searches between them, on one bill. */
import type { ChatEvent, ChatMessage, ChatRequest, ToolCall, ToolChoice } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import { objectIn } from '../core/json.ts'
import type { InstalledModel } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import {
  maxQueryCharacters,
  type SearchOutcome,
  type SearchService,
  searchText,
  type WebSearch,
} from '../core/web-search.ts'
import type { EngineMeter, RequestContext, WorkEngines } from '../engines/protocol/work-engines.ts'
import { PassReader } from './pass-reader.ts'
import type { WorkMeter } from './work-meter.ts'

/** Chat that offers its model a search of the web. */
export type SearchingRequest = ChatRequest & { readonly webSearch: WebSearch }

type ChoiceFinish = Extract<ChatEvent, { type: 'choice-finish' }>

interface SearchPassesOptions {
  readonly engines: WorkEngines
  readonly model: InstalledModel
  readonly request: SearchingRequest
  readonly context: RequestContext
  /** Meter behind the one of the context. */
  readonly meter: WorkMeter
  readonly service: SearchService
}

/**
 * Yields the events of a chat as one answer. Calls of the search tool become searches, after which the model goes on
 * with their results, unless it has called the client's tools too. An answer whose next pass finds no money or no room
 * in the context ends there with `length`. Any other failure fails the whole answer.
 */
export async function* searchPasses(options: SearchPassesOptions): AsyncGenerator<ChatEvent> {
  const { engines, model, request, context, meter } = options
  const { webSearch } = request
  const reader = new PassReader(webSearch.tool.name)
  const turns: ChatMessage[] = []
  let searches = 0
  let refused = 0
  for (let pass = 0; ; pass++) {
    const next = passRequest(request, turns, meter.before.completionTokens, { searches, refused })
    if (next === undefined) return yield* ended({ type: 'choice-finish', choice: 0, reason: 'length' }, reader, meter)
    const passContext = { ...context, meter: silent(meter), onAgain: pass === 0 ? context.onAgain : undefined }
    try {
      for await (const event of engines.run(model, { kind: 'chat', request: next }, passContext)) {
        const read = reader.read(event)
        if (read !== undefined && (read.type !== 'start' || pass === 0)) yield read
      }
    } catch (error) {
      const cut = pass === 0 ? undefined : cutBy(error, meter)
      if (cut === undefined) throw error
      return yield* ended(cut, reader, meter)
    }
    const { finish, usage, isEstimated, calls, message, hasClientCalls } = reader.end()
    meter.passed(usage, isEstimated)
    // An engine that calls what it was told not to would go on for ever.
    if (next.toolChoice.mode === 'none') return yield* ended(finish, reader, meter)
    const results: ChatMessage[] = []
    for (const call of calls) {
      const isAllowed = searches + refused < webSearch.maxUses
      if (isAllowed && !(await meter.coverSearch())) return yield* ended({ ...finish, reason: 'length' }, reader, meter)
      const query = queryOf(call)
      yield { type: 'search-start', choice: 0, query }
      const outcome: SearchOutcome = isAllowed
        ? await search(query, options)
        : { type: 'problem', problem: 'max_uses_exceeded' }
      if (outcome.type === 'results') meter.passed({ ...nothingConsumed, searches: 1 })
      if (isAllowed) searches++
      else refused++
      yield { type: 'search-finish', choice: 0, outcome }
      results.push({ role: 'tool', content: textContent(searchText(outcome)), toolCallId: call.id })
    }
    if (calls.length === 0 || hasClientCalls) return yield* ended(finish, reader, meter)
    turns.push(message, ...results)
  }
}

/** Yields the last events of the answer, for the use of all its passes. */
function* ended(
  finish: ChoiceFinish,
  { imageTokens }: PassReader,
  { before, isEstimated }: WorkMeter,
): Generator<ChatEvent> {
  yield finish
  yield {
    type: 'finish',
    usage: before,
    ...(imageTokens > 0 && { imageTokens }),
    ...(isEstimated && { isEstimated }),
  }
}

/**
 * Returns the request of the next pass. Only the first must call a tool. Once all searches are used up, a call is
 * answered with that fact once, and then no tool can be called. Undefined if the answer has reached its own limit.
 */
function passRequest(
  request: SearchingRequest,
  turns: readonly ChatMessage[],
  usedTokens: number,
  { searches, refused }: { readonly searches: number; readonly refused: number },
): ChatRequest | undefined {
  const { webSearch, appended, maxTokens, toolChoice } = request
  const rest = maxTokens === undefined ? undefined : maxTokens - usedTokens
  if (rest !== undefined && rest <= 0) return undefined
  const isUsedUp = searches >= webSearch.maxUses && (webSearch.isOnlyTool || refused > 0)
  const later: ToolChoice = isUsedUp ? { mode: 'none' } : { ...toolChoice, mode: 'auto' }
  return {
    ...request,
    maxTokens: rest,
    toolChoice: turns.length === 0 ? toolChoice : later,
    appended: { tools: appended?.tools ?? [], messages: turns },
  }
}

/** Returns the end of an answer whose next pass was refused for money or length; undefined for other errors. */
function cutBy(error: unknown, meter: WorkMeter): ChoiceFinish | undefined {
  if (!(error instanceof ApiError)) return undefined
  const cut = { type: 'choice-finish', choice: 0, reason: 'length' } as const
  if (error.code === 'context_length_exceeded') return { ...cut, isContextFull: true }
  return meter.cutBy !== undefined && error.kind === 'insufficient_balance' ? cut : undefined
}

/** Returns the meter without the events of passes, of which only the answer's own are noted. */
function silent(meter: WorkMeter): EngineMeter {
  return {
    begin: (estimate) => meter.begin(estimate),
    extend: () => meter.extend(),
    cancelled: (used, isEstimated) => meter.cancelled(used, isEstimated),
  }
}

/** Returns the query of a call; '' for arguments without one. */
function queryOf({ argumentsText }: ToolCall): string {
  const query = objectIn(argumentsText)?.query
  return typeof query === 'string' ? query.toWellFormed().trim() : ''
}

async function search(text: string, { request, context, service }: SearchPassesOptions): Promise<SearchOutcome> {
  if (text === '') return { type: 'problem', problem: 'invalid_tool_input' }
  if (text.length > maxQueryCharacters) return { type: 'problem', problem: 'query_too_long' }
  const { allowedDomains, blockedDomains } = request.webSearch
  return await service.search({ text, allowedDomains, blockedDomains }, context.accountId, context.signal)
}
