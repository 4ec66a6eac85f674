import type { FinishReason } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'

export type WireFinishReason = 'stop' | 'length' | 'tool_calls'

/** The contract's spelling of why a choice ended. */
export function toFinishReason(reason: FinishReason): WireFinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
      return reason
    case 'tool-calls':
      return 'tool_calls'
    default:
      return unreachable(reason)
  }
}
