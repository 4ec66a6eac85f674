import { isObject } from '../../core/json.ts'

/**
 * JSON with one form for each value: keys in order of their code units, no spaces, whole numbers alone. What is undefined is
 * left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (isObject(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined)
    return `{${keys
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
      .join(',')}}`
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${value} has no canonical form`)
  return JSON.stringify(value)
}
