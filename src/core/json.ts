/** Any value of JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** Returns the value of a JSON text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the object of a JSON text; undefined if it is none, or another value. */
export function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
