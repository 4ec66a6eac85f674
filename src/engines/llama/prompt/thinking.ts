/** Thinking settings of a request in the terms of templates and samplers. */
import { type ChatRequest, wantsThinking } from '../../../core/chat.ts'
import type { NativeChatFormat, NativeTemplateInputs } from '../native.ts'

export interface Thinking extends Pick<NativeTemplateInputs, 'enableThinking' | 'templateVariables'> {
  /** Most tokens of a think block, -1 for no limit. */
  readonly budgetTokens: number
}

/** Variables by which templates decide whether to think. The resolved setting replaces the caller's values. */
const switches = ['enable_thinking', 'thinking', 'reasoning']

/**
 * Returns the settings. Off applies to every model: its template is asked not to think, and a block that it opens
 * nevertheless gets no tokens. An effort or a budget implies thinking.
 */
export function thinkingOf({ reasoning, templateVariables = {} }: ChatRequest): Thinking {
  const enableThinking = wantsThinking(reasoning)
  const variables = new Map(Object.entries(templateVariables).map(([name, value]) => [name, JSON.stringify(value)]))
  for (const name of switches) {
    if (enableThinking === undefined) variables.delete(name)
    else variables.set(name, String(enableThinking))
  }
  // Templates know three efforts.
  const effort = reasoning.effort === 'minimal' ? 'low' : reasoning.effort
  if (enableThinking === true && effort !== undefined) variables.set('reasoning_effort', JSON.stringify(effort))
  return {
    enableThinking,
    budgetTokens: enableThinking === false ? 0 : (reasoning.budgetTokens ?? -1),
    templateVariables: Object.fromEntries(variables),
  }
}

type ThinkingTags = Pick<NativeChatFormat, 'generationPrompt' | 'thinkingStartTag' | 'thinkingEndTags'>

/** Returns whether the prompt leaves a block of thinking open, has closed it, or has none. */
export function thinkingInPrompt({
  generationPrompt,
  thinkingStartTag,
  thinkingEndTags,
}: ThinkingTags): 'open' | 'closed' | 'none' {
  const start = thinkingStartTag === '' ? -1 : generationPrompt.lastIndexOf(thinkingStartTag)
  if (start < 0) return 'none'
  const isClosed = thinkingEndTags.some((tag) => generationPrompt.includes(tag, start + thinkingStartTag.length))
  return isClosed ? 'closed' : 'open'
}
