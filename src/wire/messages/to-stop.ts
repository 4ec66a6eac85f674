import type { ChatEvent } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'

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
