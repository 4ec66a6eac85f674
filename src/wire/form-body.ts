import type { TObject, TSchema } from '@sinclair/typebox'
import { invalidValue } from './check.ts'

/** A field of a form, in the order in which they came; a name may come more than once. */
export type FormField = readonly [name: string, value: string]

/**
 * The fields as a body that `schema` may describe: its booleans, numbers and lists are read from text, and what cannot be
 * read as such stays text, which the schema then refuses. Lists are repeated fields, with or without `[]` behind the name, or
 * one with commas or a JSON array. An empty field counts as none. Throws ApiError 400 where a field that is no list comes twice.
 */
export function toFormBody(schema: TObject, fields: readonly FormField[]): Record<string, unknown> {
  const present = fields.filter(([, value]) => value !== '')
  const body: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries<TSchema>(schema.properties)) {
    const values = present.filter(([given]) => nameOf(given, type) === name).map(([, value]) => value)
    const [first] = values
    if (first === undefined) continue
    if (type === 'array') body[name] = values.flatMap(toList)
    else if (values.length > 1) throw invalidValue(name, 'given once')
    else body[name] = readers[String(type)]?.(first) ?? first
  }
  return body
}

/** Clients number the elements of a list, or not. */
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

/** By the type of the schema: undefined for text that is none of it. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  boolean: (text) => spelledBooleans[text.trim().toLowerCase()],
  integer: toNumber,
  number: toNumber,
}

function toNumber(text: string): number | undefined {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined
}

function toList(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed
  } catch {
    // It is no JSON: words between commas.
  }
  return text.split(',').map((word) => word.trim())
}
