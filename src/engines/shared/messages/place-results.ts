/** Puts results behind their calls, in the order of the calls. */
import type { ChatMessage, ToolCall } from '../../../core/chat.ts'

export interface CallTurn {
  /** Assistant message that makes calls. */
  readonly message: ChatMessage
  readonly calls: readonly AnsweredCall[]
}

export interface AnsweredCall {
  readonly call: ToolCall
  /** Result of the call. Undefined if the history has none. */
  readonly result?: ChatMessage
}

/** A message without calls, or calls with their results. Results that stay alone belong to no call. */
export type Turn = ChatMessage | CallTurn

interface OpenTurn {
  readonly message: ChatMessage
  readonly calls: { call: ToolCall; result?: ChatMessage }[]
}

/**
 * Places results after their calls. A result belongs to the latest earlier call with its id that lacks a result,
 * unless an answer stands between the two: then it is late and stays in place, as the last text to continue from.
 * Other results directly after a turn of calls take the remaining calls in order, since some clients send no ids or
 * wrong ones.
 */
export function placeResults(messages: readonly ChatMessage[]): Turn[] {
  const turns: (ChatMessage | OpenTurn)[] = messages.map((message) =>
    message.toolCalls === undefined ? message : { message, calls: message.toolCalls.map((call) => ({ call })) },
  )
  const placed = new Set<ChatMessage | OpenTurn>()
  let open = new Map<string, OpenTurn['calls']>()
  for (const turn of turns) {
    if (isCallTurn(turn)) {
      for (const answered of turn.calls.toReversed()) {
        const { id } = answered.call
        open.set(id, [...(open.get(id)?.slice(-mostOfOneId) ?? []), answered])
      }
    } else if (turn.role === 'assistant') {
      open = new Map()
    } else if (turn.role === 'tool' && turn.toolCallId !== undefined) {
      const answered = open.get(turn.toolCallId)?.pop()
      if (answered === undefined) continue
      answered.result = turn
      placed.add(turn)
    }
  }
  let latest: OpenTurn | undefined
  for (const turn of turns) {
    if (isCallTurn(turn)) latest = turn
    else if (turn.role !== 'tool') latest = undefined
    else if (!placed.has(turn)) {
      const answered = latest?.calls.find(({ result }) => result === undefined)
      if (answered === undefined) continue
      answered.result = { ...turn, toolCallId: answered.call.id }
      placed.add(turn)
    }
  }
  return turns.filter((turn) => !placed.has(turn))
}

/** Most waiting calls with the same id. Clients reuse ids less than that. */
const mostOfOneId = 64

export function isCallTurn<Calls extends CallTurn>(turn: ChatMessage | Calls): turn is Calls {
  return 'message' in turn
}
