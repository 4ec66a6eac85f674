import type { TObject, TSchema } from '@sinclair/typebox'
import { jsonIn, objectIn } from '../core/json.ts'
import { invalidValue } from './check.ts'

/** Field of a form. A name may occur more than once. */
export type FormField = readonly [name: string, value: string]

/**
 * Returns the fields as a body that `schema` may describe. Booleans, numbers and lists are parsed; unreadable text
 * stays and is refused by the schema. Lists are repeated fields, with or without `[]` after the name, or one field with
 * commas or a JSON array. Objects are fields named `object[property]`, or one field with a JSON object. Empty fields are
 * ignored. Throws ApiError 400 if a field that is not a list occurs twice.
 */
export function toFormBody(schema: TObject, fields: readonly FormField[]): Record<string, unknown> {
  const present = fields.filter(([, value]) => value !== '')
  const body: Record<string, unknown> = {}
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const { type } = property
    const whole = objectSchemaIn(property)
    if (whole !== undefined) {
      const value = toObject(name, whole, present)
      if (value !== undefined) body[name] = value
      continue
    }
    const values = present.filter(([given]) => nameOf(given, type) === name).map(([, value]) => value)
    const [first] = values
    if (first === undefined) continue
    if (type === 'array') body[name] = values.flatMap(toList)
    else if (values.length > 1) throw invalidValue(name, 'given once')
    else body[name] = readers[String(type)]?.(first) ?? first
  }
  return body
}

/** Returns the schema of an object that the field may be; undefined if it is none. */
function objectSchemaIn({ anyOf = [] }: TSchema): TObject | undefined {
  return (anyOf as readonly TSchema[]).find((each): each is TObject => each.type === 'object')
}

/** Returns an object that is spread over fields or written as JSON; text if it is neither; undefined if absent. */
function toObject(name: string, schema: TObject, fields: readonly FormField[]): unknown {
  const inner = fields.flatMap(([given, value]): FormField[] => {
    const property = given.startsWith(`${name}[`) && given.endsWith(']') ? given.slice(name.length + 1, -1) : undefined
    return property === undefined ? [] : [[property, value]]
  })
  const [first, ...others] = fields.flatMap(([given, value]) => (given === name ? value : []))
  if (others.length > 0 || (first !== undefined && inner.length > 0)) throw invalidValue(name, 'given once')
  if (first === undefined) return inner.length === 0 ? undefined : toFormBody(schema, inner)
  return objectIn(first) ?? first
}

/** Returns the field's name. Clients may number the elements of a list. */
function nameOf(given: string, type: unknown): string {
  return type === 'array' ? given.replace(/\[\d*\]$/, '') : given
}

const spelledBooleans: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  on: true,
  yes: true,
  false: false,
  0: false,
  off: false,
  no: false,
}

/** Parsers by schema type. They return undefined for invalid text. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  boolean: (text) => spelledBooleans[text.trim().toLowerCase()],
  integer: toNumber,
  number: toNumber,
}

function toNumber(text: string): number | undefined {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined
}

function toList(text: string): unknown[] {
  const parsed = jsonIn(text)
  return Array.isArray(parsed) ? parsed : text.split(',').map((word) => word.trim())
}
