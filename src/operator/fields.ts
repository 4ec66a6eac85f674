/** Fields of inputs that several operations have. Descriptions are what people are told when a value is not allowed. */
import { Type } from '@sinclair/typebox'

/** Text on one line, not blank. */
export function lineOf(description: string, maxLength: number) {
  return Type.String({ description, minLength: 1, maxLength, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
}

export function wholeNumber(description: string, { min, max }: { readonly min: number; readonly max: number }) {
  return Type.Integer({ description, minimum: min, maximum: max })
}

export const accountReference = lineOf('an account is named by its mail address or its id (acc_…)', 320)

export const memo = Type.Optional(lineOf('--memo takes 1 to 200 characters on one line', 200))

export const expiresDays = Type.Optional(
  wholeNumber('--expires-days must be a whole number from 1 to 36500', { min: 1, max: 36_500 }),
)

const dayMs = 24 * 60 * 60 * 1000

/** When something made now expires. */
export function expiryMs(now: number, days: number | undefined): number | undefined {
  return days === undefined ? undefined : now + days * dayMs
}
