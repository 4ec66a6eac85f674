import { isObject } from '../../../core/json.ts'

/** Returns the prompt tokens in `usage`; undefined if there is no possible count. */
export function promptTokensOf(answer: unknown): number | undefined {
  const usage = isObject(answer) && isObject(answer.usage) ? answer.usage : {}
  return [usage.prompt_tokens, usage.total_tokens].find(isCount)
}

/** Returns whether the value is a possible count. Every text has at least one token. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
