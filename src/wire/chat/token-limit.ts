import { Type } from '@sinclair/typebox'
import { invalidValue } from '../check.ts'

/** Value that clients of local servers send for "no limit" */
const noLimit = -1

/** Schema of a limit of tokens. */
export const tokenLimit = tokensOf(1)
/** Schema of a limit that may be 0 where `requireTokens` allows it. */
export const anyTokenLimit = Type.Optional(tokensOf(0, wordsOf(1)))
/** Schema of a limit of thinking tokens: 0 is no thinking. */
export const budgetLimit = Type.Optional(tokensOf(0))

/** Returns the limit in a checked field, undefined for none. */
export function limitOf(value: number | undefined): number | undefined {
  return value === noLimit ? undefined : value
}

/** Throws ApiError 400 for a limit of 0 unless the request asks for something of its prompt. */
export function requireTokens(param: string, value: number | undefined, isPromptWanted: boolean): void {
  if (value === 0 && !isPromptWanted) throw invalidValue(param, wordsOf(1))
}

function tokensOf(minimum: number, description = wordsOf(minimum)) {
  return Type.Union([Type.Integer({ minimum }), Type.Literal(noLimit)], {
    description,
  })
}

function wordsOf(minimum: number): string {
  return `an integer of at least ${minimum}, or ${noLimit} for no limit`
}
