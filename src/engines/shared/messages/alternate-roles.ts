/**
 * Makes user and assistant alternate, for templates that insist on it. Messages of calls and results do not count as
 * turns.
 */
import type { ChatMessage } from '../../../core/chat.ts'
import { joinContents, textContent } from '../../../core/content.ts'
import { paragraph } from './place-system.ts'
import type { TemplateAbilities } from './template-abilities.ts'

type Abilities = Pick<
  TemplateAbilities,
  'repeatsRoles' | 'userAfterResults' | 'assistantFirst' | 'withoutUser' | 'calls' | 'textBesideCalls'
>

type Speaker = 'user' | 'assistant'

/** Fillers of missing turns, without anything that a model could take for a request. */
const fillers: Readonly<Record<Speaker, ChatMessage>> = {
  user: { role: 'user', content: textContent('…') },
  assistant: { role: 'assistant', content: textContent('OK.') },
}

/**
 * Joins neighbours of the same role. If calls and results stand between two turns of one speaker, fills in a turn of
 * the other.
 */
export function alternateRoles(messages: readonly ChatMessage[], abilities: Abilities): ChatMessage[] {
  const placed: ChatMessage[] = []
  let speaker: Speaker | undefined
  let speakerBefore: Speaker | undefined
  const add = (message: ChatMessage) => {
    placed.push(message)
    speakerBefore = speaker
    speaker = speakerOf(message) ?? speaker
  }
  for (const message of messages) {
    const last = placed.at(-1)
    if (!abilities.repeatsRoles && last !== undefined && canJoin(last, message, abilities)) {
      placed[placed.length - 1] = joined(last, message)
      // With calls, the joined message is no longer a turn.
      if (message.toolCalls !== undefined && last.toolCalls === undefined) speaker = speakerBefore
      continue
    }
    const isEarly = speaker === undefined && (message.role === 'assistant' || message.role === 'tool')
    if (isEarly && !abilities.assistantFirst) add(fillers.user)
    else if (speaker !== undefined && speakerOf(message) === speaker && needsAnswer(last, message, abilities)) {
      add(fillers[speaker === 'user' ? 'assistant' : 'user'])
    }
    add(message)
  }
  if (abilities.withoutUser || placed.some(({ role }) => role === 'user')) return placed
  const head = placed[0]?.role === 'system' ? 1 : 0
  return placed.toSpliced(head, 0, fillers.user)
}

function speakerOf({ role, toolCalls }: ChatMessage): Speaker | undefined {
  if (role === 'user') return 'user'
  return role === 'assistant' && toolCalls === undefined ? 'assistant' : undefined
}

/** Returns whether a turn of the other speaker must be filled in between two turns of one speaker. */
function needsAnswer(last: ChatMessage | undefined, { role }: ChatMessage, abilities: Abilities): boolean {
  const isAfterResult = last?.role === 'tool' && role === 'user'
  return isAfterResult ? !abilities.userAfterResults : !abilities.repeatsRoles
}

function canJoin(first: ChatMessage, second: ChatMessage, { calls, textBesideCalls }: Abilities): boolean {
  if (first.role !== second.role || first.role === 'tool' || first.role === 'system') return false
  if (second.toolCalls === undefined) return first.toolCalls === undefined
  if (first.toolCalls !== undefined) return calls === 'several' && (textBesideCalls || second.content.length === 0)
  return textBesideCalls
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
