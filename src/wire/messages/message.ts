import type { ChatEvent } from '../../core/chat.ts'
import type { NewId } from '../../core/ids.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { Usage } from '../../core/usage.ts'
import type { ThinkingDisplay } from './parse-thinking.ts'

/** What a message says about itself. */
export interface Envelope {
  readonly id: string
  /** As the client spelled it. */
  readonly model: string
}

export interface MessageOptions {
  readonly envelope: Envelope
  readonly thinkingDisplay: ThinkingDisplay
  readonly newId: NewId
  readonly requestId: string
  readonly docsUrl: (code: string) => string
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

export interface MessageParts {
  readonly content: readonly ContentBlock[]
  /** Null while the message is being written. */
  readonly stop: WireStop | null
  readonly usage: Usage
}

/** A message, whole or as a stream begins with it. */
export function toMessage({ id, model }: Envelope, { content, stop, usage }: MessageParts) {
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
    usage: { ...toDeltaUsage(usage), cache_creation: null, service_tier: 'standard', server_tool_use: null },
  } as const
}

/** Token counts as the end of a stream carries them. */
export function toDeltaUsage({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage) {
  return {
    // Without the cached ones: clients add `cache_read_input_tokens` to it.
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    // Thinking included.
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}

export interface WireStop {
  readonly stop_reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'model_context_window_exceeded'
  readonly stop_sequence: string | null
}

type ChoiceFinish = Extract<ChatEvent, { type: 'choice-finish' }>

/** Why a message ended. Whatever else a message with a whole call may have met: agents run calls on `tool_use` alone. */
export function toStop({ reason, stopString, isContextFull }: ChoiceFinish, hasCalls: boolean): WireStop {
  switch (reason) {
    case 'length':
      return {
        stop_reason: isContextFull === true ? 'model_context_window_exceeded' : 'max_tokens',
        stop_sequence: null,
      }
    case 'stop':
    case 'tool-calls':
      if (hasCalls) return { stop_reason: 'tool_use', stop_sequence: null }
      if (stopString !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: stopString }
      return { stop_reason: 'end_turn', stop_sequence: null }
    default:
      return unreachable(reason)
  }
}

/**
 * Whether text is white space alone. Models write some between thinking and calls; a block of it says nothing, and
 * vendors refuse it when the conversation moves on to them.
 */
export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}
