/** Puts messages into the order that strict templates ask for. */
import type { ChatMessage } from '../../core/chat.ts'
import { joinContents, textContent } from '../../core/content.ts'

/** Stands between the texts of messages that are joined. */
const paragraph = '\n\n'

/**
 * System messages at the beginning joined into one; later ones become part of the user's message or tool result before
 * them, or else of a user message: moved to the head they would change text that is cached. Neighbours of the same role
 * are joined. A call stays in front of its result, and results stay apart from each other.
 */
export function inOrder(messages: readonly ChatMessage[]): ChatMessage[] {
  const ordered: ChatMessage[] = []
  let isHead = true
  for (const message of withoutSystemBetweenCallAndResult(messages)) {
    isHead &&= message.role === 'system'
    const last = ordered.at(-1)
    const folds = message.role === 'system' && !isHead
    if (last !== undefined && folds && (last.role === 'user' || last.role === 'tool')) {
      ordered[ordered.length - 1] = { ...last, content: joinContents(last.content, message.content, paragraph) }
      continue
    }
    const placed: ChatMessage = folds ? { role: 'user', content: message.content } : message
    if (last?.role === placed.role && placed.role !== 'tool') ordered[ordered.length - 1] = joined(last, placed)
    else ordered.push(placed)
  }
  return ordered
}

/** System messages that stand between calls and results, moved behind the first result. */
function withoutSystemBetweenCallAndResult(messages: readonly ChatMessage[]): ChatMessage[] {
  const placed: ChatMessage[] = []
  let held: ChatMessage[] = []
  for (const message of messages) {
    if (message.role === 'system' && placed.at(-1)?.toolCalls !== undefined) {
      held.push(message)
      continue
    }
    placed.push(...(message.role === 'tool' ? [message, ...held] : [...held, message]))
    held = []
  }
  return [...placed, ...held]
}

/**
 * Results that follow a message's calls stand in the order of those calls, whichever tool was done first: many templates
 * show no ids. Results of other calls come last.
 */
export function resultsInCallOrder(messages: readonly ChatMessage[]): ChatMessage[] {
  const placed: ChatMessage[] = []
  let places = new Map<string, number>()
  let results: ChatMessage[] = []
  const placeOf = ({ toolCallId }: ChatMessage) => places.get(toolCallId ?? '') ?? places.size
  for (const message of messages) {
    if (message.role === 'tool') {
      results.push(message)
      continue
    }
    placed.push(...results.toSorted((one, other) => placeOf(one) - placeOf(other)), message)
    results = []
    places = new Map(message.toolCalls?.map(({ id }, index) => [id, index]))
  }
  return [...placed, ...results.toSorted((one, other) => placeOf(one) - placeOf(other))]
}

const orphanNote = textContent('Result of a tool call:\n')

/** Results of calls that the message before them does not make become the user's words. */
export function withoutOrphans(messages: readonly ChatMessage[]): ChatMessage[] {
  let open = 0
  return messages.map((message) => {
    if (message.role !== 'tool') open = message.toolCalls?.length ?? 0
    else if (open-- <= 0) return { role: 'user', content: joinContents(orphanNote, message.content, '') }
    return message
  })
}

function joined(first: ChatMessage, second: ChatMessage): ChatMessage {
  const toolCalls = [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])]
  const reasoning = [first.reasoning, second.reasoning].filter(Boolean).join(paragraph)
  return {
    ...first,
    content: joinContents(first.content, second.content, paragraph),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  }
}
