import { Type } from '@sinclair/typebox'

/** Value that clients of local servers send for "no limit" */
const noLimit = -1

/** Schema of a limit of tokens. */
export const tokenLimit = tokensOf(1)
/** Schema of a limit of thinking tokens: 0 is no thinking. */
export const budgetLimit = Type.Optional(tokensOf(0))

/** Returns the limit in a checked field, undefined for none. */
export function limitOf(value: number | undefined): number | undefined {
  return value === noLimit ? undefined : value
}

function tokensOf(minimum: number) {
  return Type.Union([Type.Integer({ minimum }), Type.Literal(noLimit)], {
    description: `an integer of at least ${minimum}, or ${noLimit} for no limit`,
  })
}
