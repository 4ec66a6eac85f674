import type { ChatMessage } from '../../core/chat.ts'

/**
 * System messages stay where they stand, so that what comes before them stays the same text and cached; only between
 * calls and their results nothing may stand: there they move behind the results.
 */
export function placeSystem(messages: readonly ChatMessage[]): ChatMessage[] {
  const placed: ChatMessage[] = []
  let held: ChatMessage[] = []
  let unanswered = new Set<string>()
  for (const message of messages) {
    if (message.role === 'system' && unanswered.size > 0) {
      held.push(message)
      continue
    }
    if (message.role === 'tool') {
      unanswered.delete(message.toolCallId ?? '')
      placed.push(message)
      if (unanswered.size > 0) continue
    }
    // The results are complete, or something else shows that no more will come.
    placed.push(...held)
    held = []
    if (message.role === 'tool') continue
    placed.push(message)
    unanswered = new Set(message.toolCalls?.map(({ id }) => id))
  }
  return [...placed, ...held]
}
