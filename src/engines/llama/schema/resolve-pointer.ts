import type { JsonValue } from '../../../core/json.ts'

/**
 * Follows a `$ref` of the form `#/a/b` (or `#`), with JSON Pointer's and a URL's escapes. `pointer` is the same for
 * every spelling of one place. Undefined when it leads to nothing.
 */
export function resolvePointer(
  root: JsonValue,
  reference: string,
): { readonly value: JsonValue; readonly pointer: string } | undefined {
  const decoded = decode(reference.slice(1))
  if (decoded === undefined || (decoded !== '' && !decoded.startsWith('/'))) return undefined
  let value: JsonValue = root
  for (const escaped of decoded.split('/').slice(1)) {
    const segment = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    const next = memberOf(value, segment)
    if (next === undefined) return undefined
    value = next
  }
  return { value, pointer: decoded }
}

function memberOf(value: JsonValue, segment: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isList(value)) return /^(0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined
  return Object.hasOwn(value, segment) ? value[segment] : undefined
}

/** `Array.isArray` does not tell read-only arrays from objects. */
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
