import { Type } from '@sinclair/typebox'
import { isObject } from '../../core/json.ts'
import { openReasoning } from '../chat/sealed-reasoning.ts'
import { check, invalidValue } from '../check.ts'
import type { Conversation } from './conversation.ts'
import { isPartType, type MessageRole, parseContent, readableText } from './parse-content.ts'
import { callReaders } from './read-call.ts'
import type { ToolDirectory } from './tool-directory.ts'

/** One input item: its fields without those that are null. */
export type Item = Readonly<Record<string, unknown>>

export interface ItemContext {
  /** Dotted place of the item in the body. */
  readonly path: string
  readonly conversation: Conversation
  readonly directory: ToolDirectory
  /** A user's message comes later: what the model thought before it is over. */
  readonly isBeforeLastUser: boolean
}

export type ItemReader = (item: Item, context: ItemContext) => void

const Message = Type.Object({ role: Type.String({ description: 'a string' }) })

const roles: Readonly<Record<string, MessageRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
}

/** What becomes part of the conversation, by the item's type. Types without a reader do not. */
const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  reasoning: readReasoning,
  agent_message: readAgentMessage,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  context_compaction: readCompaction,
  ...callReaders,
}

/** The item's type; items that have a role may leave it out. Throws ApiError 400 when it has neither. */
export function itemType(item: Item, path: string): string {
  if (typeof item.type === 'string') return item.type
  if (item.type === undefined && item.role !== undefined) return 'message'
  throw invalidValue(`${path}.type`, 'a string such as "message"')
}

/** True for items that become a message of the user. */
export function isFromUser(item: Item, type: string): boolean {
  return type === 'agent_message' || (type === 'message' && item.role === 'user')
}

/**
 * Adds an item to the conversation. Unknown types, and what only other servers do (hosted searches and the like), are
 * passed over: clients add types every few weeks. Throws ApiError 400 for what the answer would be wrong without.
 */
export function readItem(type: string, item: Item, context: ItemContext): void {
  if (Object.hasOwn(readers, type)) readers[type]?.(item, context)
  else if (isPartType(type))
    throw invalidValue(`${context.path}.type`, 'the type of an item; put this part into the content of a message')
}

function readMessage(item: Item, { path, conversation }: ItemContext): void {
  const { role } = check(Message, item, path)
  const known = Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known === undefined) throw invalidValue(`${path}.role`, `one of ${Object.keys(roles).join(', ')}`)
  conversation[known](parseContent(item.content ?? '', `${path}.content`, known))
}

/** Clients echo what they were given, sometimes with less in it: never a reason to refuse. */
function readReasoning(item: Item, { conversation, isBeforeLastUser }: ItemContext): void {
  if (isBeforeLastUser) return
  const sealed = typeof item.encrypted_content === 'string' ? openReasoning(item.encrypted_content) : undefined
  conversation.reasoning(joinTexts(item.content) || (sealed ?? joinTexts(item.summary)))
}

function joinTexts(parts: unknown): string {
  if (typeof parts === 'string') return parts.toWellFormed()
  if (!Array.isArray(parts)) return ''
  return parts.flatMap((part) => (isObject(part) ? (readableText(part) ?? []) : [])).join('\n\n')
}

/** A message between agents: one message of the user, its parts as they stand, because a header line ends in one part. */
function readAgentMessage(item: Item, { conversation }: ItemContext): void {
  const parts = Array.isArray(item.content) ? item.content : [{ text: item.content }]
  conversation.user(parts.map((part) => (isObject(part) ? (readableText(part) ?? '') : '')))
}

/** No answer of ours holds such an item; a client may have put one of our tokens into its own. */
function readCompaction(item: Item, { conversation }: ItemContext): void {
  const text = typeof item.encrypted_content === 'string' ? openReasoning(item.encrypted_content) : undefined
  if (text !== undefined) conversation.user([text])
}
