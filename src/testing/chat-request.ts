import type { ChatRequest } from '../core/chat.ts'
import { textContent } from '../core/content.ts'

/** Returns a complete request. A test gives only the parts that matter to it. */
export function chatRequest(parts: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content: textContent('Hi') }],
    sampling: {},
    stop: [],
    choices: 1,
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    reasoning: {},
    ...parts,
  }
}
