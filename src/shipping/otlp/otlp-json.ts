/** Values of OTLP in their JSON form. Pure. */

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }

type AttributeValue = string | number | boolean | readonly string[]

/** Returns attributes. Undefined values are left out, whole numbers are `intValue`. */
export function attributesOf(values: Readonly<Record<string, AttributeValue | undefined>>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map(anyValue) } }
}

/** Returns a time in nanoseconds. JSON writes 64-bit numbers as text. */
export function nanoseconds(timeMs: number): string {
  return `${BigInt(Math.round(timeMs * 1_000)) * 1_000n}`
}
