import type { Usage } from '../../core/usage.ts'
import type { WireStop } from './to-stop.ts'
import { toUsage, type WireUsage } from './to-usage.ts'

/** What a message says about itself. */
export interface Envelope {
  readonly id: string
  /** As the client spelled it. */
  readonly model: string
}

interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature: string
}

interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: object
}

export type ContentBlock = TextBlock | ThinkingBlock | ToolUseBlock

export interface Message {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly ContentBlock[]
  readonly stop_reason: WireStop['stop_reason'] | null
  readonly stop_sequence: string | null
  readonly stop_details: null
  readonly container: null
  readonly usage: WireUsage
}

export interface MessageParts {
  readonly content: readonly ContentBlock[]
  /** Null while the message is being written. */
  readonly stop: WireStop | null
  readonly usage: Usage
}

/** A message, whole or as a stream begins with it. */
export function toMessage({ id, model }: Envelope, { content, stop, usage }: MessageParts): Message {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stop?.stop_reason ?? null,
    stop_sequence: stop?.stop_sequence ?? null,
    stop_details: null,
    container: null,
    usage: toUsage(usage),
  }
}
