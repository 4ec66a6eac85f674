import { isObject } from '../../../core/json.ts'

/** Tokens that the server counted, by `usage`; undefined if it says nothing that can be. */
export function promptTokensOf(answer: unknown): number | undefined {
  const usage = isObject(answer) && isObject(answer.usage) ? answer.usage : {}
  return [usage.prompt_tokens, usage.total_tokens].find(isCount)
}

/** Returns whether the value is a count: every text has a token. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
