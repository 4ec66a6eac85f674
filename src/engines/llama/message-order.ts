/** Puts messages into the order that strict templates ask for. */
import type { ChatMessage } from '../../core/chat.ts'

/**
 * System messages joined into one at the front; neighbours of the same role joined. A call stays in front of its result,
 * and results stay apart from each other.
 */
export function inOrder(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content)
  const ordered: ChatMessage[] = system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }]
  for (const message of messages) {
    if (message.role === 'system') continue
    const last = ordered.at(-1)
    if (last !== undefined && last.role === message.role && message.role !== 'tool') {
      ordered[ordered.length - 1] = joined(last, message)
    } else ordered.push(message)
  }
  return ordered
}

/** Results of calls that the message before them does not make become the user's words. */
export function withoutOrphans(messages: readonly ChatMessage[]): ChatMessage[] {
  let open = 0
  return messages.map((message) => {
    if (message.role !== 'tool') open = message.toolCalls?.length ?? 0
    else if (open-- <= 0) return { role: 'user', content: `Result of a tool call:\n${message.content}` }
    return message
  })
}

function joined(first: ChatMessage, second: ChatMessage): ChatMessage {
  const toolCalls = [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])]
  const reasoning = join(first.reasoning, second.reasoning)
  return {
    ...first,
    content: join(first.content, second.content) ?? '',
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  }
}

function join(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || first === '') return second
  return second === undefined || second === '' ? first : `${first}\n\n${second}`
}
