import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value, ValueErrorType } from '@sinclair/typebox/value'
import { ApiError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import { visibleLinePattern } from '../core/printable.ts'

/**
 * Returns the value as the schema's type. Throws ApiError 400 that names the first invalid field. `path` is the dotted
 * path of the value in the request body. A schema's `description` ends the sentence "'field' must be …".
 */
export function check<Schema extends TSchema>(schema: Schema, value: unknown, path = ''): Static<Schema> {
  // Finding errors takes ten times as long as finding that there are none.
  if (Value.Check(schema, value)) return value
  const problem = Value.Errors(schema, value).First()
  if (problem === undefined) throw new Error('a value fails its schema without an error: this is a bug')
  const param = joinPath(path, problem.path)
  const expected = problem.schema.description ?? typeWords[String(problem.schema.type)]
  if (problem.type === ValueErrorType.ObjectRequiredProperty) {
    throw missing(param, expected)
  }
  throw invalidValue(param, expected ?? 'of another type')
}

/** Returns the token ids in a list. Only the engine knows which of them the model has. Throws ApiError 400. */
export function readTokenIds(ids: readonly unknown[], path: string): readonly number[] {
  if (ids.length === 0) throw invalidValue(path, 'an array of at least 1 token id')
  const wrong = ids.findIndex((id) => !(Number.isSafeInteger(id) && Number(id) >= 0))
  if (wrong !== -1) throw invalidValue(`${path}[${wrong}]`, 'a token id, which is an integer of at least 0')
  return ids.map(Number)
}

/** Fields that many bodies share */
export const optionalFlag = Type.Optional(Type.Boolean({ description: 'true or false' }))
export const optionalText = Type.Optional(Type.String({ description: 'a string' }))
/** Field that is checked later. */
export const optionalAny = Type.Optional(Type.Unknown())

export function optionalInteger(minimum: number, maximum?: number) {
  const limits = maximum === undefined ? { minimum } : { minimum, maximum }
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return Type.Optional(Type.Integer({ ...limits, description: `an integer ${range}` }))
}

/** Name for people */
export const nameLine = Type.String({
  description: '1 to 100 characters on one line',
  minLength: 1,
  maxLength: 100,
  pattern: visibleLinePattern,
})

/** Descriptions of schemas that have only a type */
const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  array: 'an array',
  object: 'an object',
}

/** Returns ApiError 400 `invalid_value` for the field at `param`; `expected` ends the sentence "'field' must be …". */
export function invalidValue(param: string, expected: string): ApiError {
  const subject = param === '' ? 'The request body' : `'${param}'`
  return new ApiError('invalid_request', `${subject} must be ${expected}.`, {
    code: 'invalid_value',
    param: param === '' ? undefined : param,
  })
}

/** Returns ApiError 400 `missing_required_parameter` for the field at `param`. */
export function missing(param: string, expected?: string): ApiError {
  const words = expected === undefined ? '' : `: it must be ${expected}`
  return new ApiError('invalid_request', `'${param}' is required${words}.`, {
    code: 'missing_required_parameter',
    param,
  })
}

/** Most fields of an object. A body has room for millions, and copying them takes seconds. */
const maxFields = 10_000

/** Returns a JSON object's non-null fields: on the wire, null means not given. Throws ApiError 400. */
export function presentFields(value: unknown, path = ''): Record<string, unknown> {
  if (!isObject(value)) throw invalidValue(path, 'an object')
  let count = 0
  for (const _ in value) if (++count > maxFields) throw invalidValue(path, `an object of at most ${maxFields} fields`)
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

/** Returns the dotted path: `messages[2]` and `/content/0/type` -> `messages[2].content[0].type`. */
function joinPath(path: string, pointer: string): string {
  let joined = path
  for (const segment of pointer.split('/').slice(1)) {
    if (/^\d+$/.test(segment)) joined += `[${segment}]`
    else joined += `${joined === '' ? '' : '.'}${segment.replaceAll('~1', '/').replaceAll('~0', '~')}`
  }
  return joined
}

/** Field that every body with work for a model has */
export const modelField = {
  model: Type.String({ minLength: 1, description: 'the id of a model; GET /models lists them' }),
}
const ModelBody = Type.Object(modelField)

/** The same field where the only installed model is meant if it is absent. */
export const optionalModelField = { model: Type.Optional(modelField.model) }
const OptionalModelBody = Type.Object(optionalModelField)

/**
 * Returns only the `model` of a body, so that an unknown model is reported before any other field. Throws ApiError 400.
 */
export function parseModelId(body: unknown): string {
  return check(ModelBody, presentFields(body)).model
}

/** Returns the `model` of a body that need not name one. Throws ApiError 400. */
export function parseOptionalModelId(body: unknown): string | undefined {
  return check(OptionalModelBody, presentFields(body)).model
}
