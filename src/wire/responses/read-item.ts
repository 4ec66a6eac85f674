import { Type } from '@sinclair/typebox'
import { isObject } from '../../core/json.ts'
import { openReasoning } from '../chat/sealed-reasoning.ts'
import { check, invalidValue } from '../check.ts'
import type { Conversation } from './conversation.ts'
import { isPartType, type MessageRole, parseContent, readableText } from './parse-content.ts'
import { callReaders } from './read-call.ts'
import type { ToolDirectory } from './tool-directory.ts'

/** Input item without its null fields. */
export type Item = Readonly<Record<string, unknown>>

export interface ItemContext {
  /** Dotted path of the item in the body. */
  readonly path: string
  readonly conversation: Conversation
  readonly directory: ToolDirectory
  /** True if a later item is a user's message. The model's thinking before it is no longer needed. */
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

/** Readers by item type. Other types do not become part of the conversation. */
const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  reasoning: readReasoning,
  agent_message: readAgentMessage,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  context_compaction: readCompaction,
  ...callReaders,
}

/** Returns the item's type. Items with a role may leave it out. Throws ApiError 400 if it has neither. */
export function itemType(item: Item, path: string): string {
  if (typeof item.type === 'string') return item.type
  if (item.type === undefined && item.role !== undefined) return 'message'
  throw invalidValue(`${path}.type`, 'a string such as "message"')
}

/** Returns whether the item becomes a message of the user. */
export function isFromUser(item: Item, type: string): boolean {
  return type === 'agent_message' || (type === 'message' && item.role === 'user')
}

/**
 * Adds an item to the conversation. Skips unknown types and those of other servers (hosted searches and the like):
 * clients add types every few weeks. Throws ApiError 400 for items without which the answer would be wrong.
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

/** Reads reasoning that clients echo, sometimes incomplete. Never refuses it. */
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

/**
 * Reads a message between agents as one message of the user. Parts stay separate because a header line ends in one
 * part.
 */
function readAgentMessage(item: Item, { conversation }: ItemContext): void {
  const parts = Array.isArray(item.content) ? item.content : [{ text: item.content }]
  conversation.user(parts.map((part) => (isObject(part) ? (readableText(part) ?? '') : '')))
}

/** Reads a compaction. This server never sends one, but a client may have put one of its tokens into its own. */
function readCompaction(item: Item, { conversation }: ItemContext): void {
  const text = typeof item.encrypted_content === 'string' ? openReasoning(item.encrypted_content) : undefined
  if (text !== undefined) conversation.user([text])
}
