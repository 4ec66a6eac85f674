/** Puts results behind the calls that they belong to, in the order of those calls. */
import type { ChatMessage, ToolCall } from '../../../core/chat.ts'

export interface CallTurn {
  /** Assistant message that makes calls. */
  readonly message: ChatMessage
  readonly calls: readonly AnsweredCall[]
}

export interface AnsweredCall {
  readonly call: ToolCall
  /** Undefined if the history has none. */
  readonly result?: ChatMessage
}

/** A message that makes no calls, or a turn of calls with their results. Results that stay alone belong to no call. */
export type Turn = ChatMessage | CallTurn

interface OpenTurn {
  readonly message: ChatMessage
  readonly calls: { call: ToolCall; result?: ChatMessage }[]
}

/**
 * Places results after their calls. A result belongs to the latest earlier call of its id without one, unless an answer
 * stands between the two: it is late then and stays, as the last text to continue from. Other results directly after a
 * turn of calls take its remaining calls in order: some clients send no ids, or other ones.
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

/** Calls of one id that wait at the same time, as far as clients ever reuse ids. */
const mostOfOneId = 64

export function isCallTurn<Calls extends CallTurn>(turn: ChatMessage | Calls): turn is Calls {
  return 'message' in turn
}
