/**
 * Brings any history into a form that the template can show: reordered, joined, split or written as text. No word is
 * lost.
 */
import type { ChatMessage } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import { alternateRoles } from './alternate-roles.ts'
import { placeResults } from './place-results.ts'
import { placeSystem } from './place-system.ts'
import type { TemplateAbilities } from './template-abilities.ts'
import { withPicturesBehindTools } from './tool-pictures.ts'
import { writeTurns } from './write-turns.ts'

/**
 * Normalizes a history. The result is never empty, and stable: appended messages change no earlier ones, unless they
 * are results of an earlier call. Empty messages are ignored, except results.
 */
export function normalizeHistory(given: readonly ChatMessage[], abilities: TemplateAbilities): ChatMessage[] {
  const shownThinking = abilities.textBesideThinking ? given : given.map(withoutCostlyThinking)
  const said = shownThinking.filter(saysSomething)
  const turns = placeResults(said)
  const written = writeTurns(turns, abilities)
  const shown = abilities.resultPictures ? written : withPicturesBehindTools(written)
  const messages = alternateRoles(placeSystem(shown, abilities.system), abilities)
  return messages.length === 0 ? [{ role: 'user', content: [] }] : messages
}

/** Returns the message without its thinking if the template would show that instead of the text. */
function withoutCostlyThinking(message: ChatMessage): ChatMessage {
  const { reasoning, ...rest } = message
  return reasoning === undefined || message.content.length === 0 ? message : rest
}

/** Returns whether a message has content. Thinking alone is no content, since the answer was cut. */
function saysSomething({ role, content, toolCalls }: ChatMessage): boolean {
  if (role === 'tool' || toolCalls !== undefined) return true
  if (role === 'assistant') return content.some(({ type }) => type !== 'text') || contentText(content).trim() !== ''
  return content.length > 0
}

/** Returns the text of a last message that the answer continues, else ''. */
export function continuedText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.toolCalls === undefined ? contentText(last.content) : ''
}
