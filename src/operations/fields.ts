/**
 * Input fields that several operations share. Each description completes a sentence that begins with the field's name.
 */

import { type TSchema, Type } from '@sinclair/typebox'
import { dayMs } from '../core/durations.ts'
import { visibleLinePattern } from '../core/printable.ts'
import { wholeNumber } from '../core/schemas.ts'

/** Returns a schema of visible text on one line. */
export function lineOf(description: string, maxLength: number) {
  return Type.String({ description, minLength: 1, maxLength, pattern: visibleLinePattern })
}

export function trueOrFalse() {
  return Type.Boolean({ description: 'is true or false' })
}

/** Returns the schema with a description that completes a sentence. */
export function mustBe<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, description: `must be ${schema.description}` }
}

/**
 * Returns a schema of text that is only compared: an address, a password, a secret. Its description is worded as in
 * HTTP errors, and completes "must be …".
 */
export function plainText(maxLength: number) {
  return Type.String({ description: `must be a string of at most ${maxLength} characters`, maxLength })
}

export const accountReference = lineOf('is named by its mail address or its id (acc_…)', 320)

export const memo = Type.Optional(lineOf('takes 1 to 200 characters on one line', 200))

/** Mark of the settings file's content as the caller read it. Without it, changes by others are kept but not noticed. */
export const fileVersion = Type.Optional(lineOf('is the version that settings-list tells', 64))

export const expiresDays = Type.Optional(mustBe(wholeNumber(1, 36_500)))

/** Page of a list: the latest rows, or the latest before a given row. */
export const page = {
  limit: Type.Optional(mustBe(wholeNumber(1, 100_000))),
  /** Id of the last row of the previous page. */
  before: Type.Optional(lineOf('must be the id of a row of the list', 200)),
}

/** Returns the expiry, counted from now; undefined without one. */
export function expiryMs(now: number, days: number | undefined): number | undefined {
  return days === undefined ? undefined : now + days * dayMs
}
