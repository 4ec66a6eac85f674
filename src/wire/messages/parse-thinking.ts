import { Type } from '@sinclair/typebox'
import type { Reasoning } from '../../core/chat.ts'
import { parseEffort } from '../chat/parse-reasoning.ts'
import { limitOf, tokenLimit } from '../chat/token-limit.ts'
import { check, presentFields } from '../check.ts'

/**
 * Thinking in the answer. `none` means not requested. `omitted` means blocks without their text, which some clients
 * request to save bytes.
 */
export type ThinkingDisplay = 'none' | 'whole' | 'omitted'

interface Thinking {
  readonly reasoning: Reasoning
  readonly display: ThinkingDisplay
}

const ThinkingFields = Type.Object(
  {
    type: Type.String({ description: 'a string such as "enabled", "adaptive" or "disabled"' }),
    budget_tokens: Type.Optional(tokenLimit),
    display: Type.Optional(Type.String({ description: 'a string such as "summarized" or "omitted"' })),
  },
  { description: 'an object' },
)

const off: Thinking = { reasoning: { mode: 'off' }, display: 'none' }

/**
 * Parses the body's `thinking` and `output_config.effort`. In this dialect a request without them means no thinking,
 * whatever the model's default; an effort alone does not switch it on. Throws ApiError 400.
 */
export function parseThinking(thinking: unknown, effort: string | undefined): Thinking {
  const wished = effort === undefined ? undefined : parseEffort(effort, 'output_config.effort')
  if (thinking === undefined) return off
  const fields = check(ThinkingFields, presentFields(thinking, 'thinking'), 'thinking')
  if (fields.type === 'disabled' || wished?.mode === 'off') return off
  const budgetTokens = limitOf(fields.budget_tokens)
  return {
    reasoning: {
      mode: 'on',
      ...(wished?.effort === undefined ? {} : { effort: wished.effort }),
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
    },
    display: fields.display === 'omitted' ? 'omitted' : 'whole',
  }
}
