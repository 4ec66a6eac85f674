/** What a request says about thinking, in the words of templates and samplers. */
import type { ChatRequest } from '../../core/chat.ts'

export interface Thinking {
  readonly isOn: boolean
  /** Most tokens of a think block, -1 for any number. */
  readonly budgetTokens: number
  /** Variables of the chat template, each value as JSON text. */
  readonly templateVariables: Readonly<Record<string, string>>
}

/** Names by which templates ask whether to think: what was resolved counts, not what a caller says to the template. */
const switches = ['enable_thinking', 'thinking']

/**
 * Thinking is on unless the request says otherwise. Off holds for every model: its template is asked not to think, and a
 * block that it opens all the same has no tokens.
 */
export function thinkingOf({ reasoning, templateVariables = {} }: ChatRequest): Thinking {
  // A block of no tokens is better left out by a template that can.
  const isOn = (reasoning.mode ?? reasoning.templateMode) !== 'off' && reasoning.budgetTokens !== 0
  const variables = new Map(Object.entries(templateVariables).map(([name, value]) => [name, JSON.stringify(value)]))
  for (const name of switches) variables.set(name, String(isOn))
  // Templates know three efforts.
  const effort = reasoning.effort === 'minimal' ? 'low' : reasoning.effort
  if (isOn && effort !== undefined) variables.set('reasoning_effort', JSON.stringify(effort))
  return {
    isOn,
    budgetTokens: isOn ? (reasoning.budgetTokens ?? -1) : 0,
    templateVariables: Object.fromEntries(variables),
  }
}
