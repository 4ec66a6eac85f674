import { isObject, type JsonValue } from '../../../core/json.ts'

/** Returns the value at `/a/b`; undefined when the pointer leads to nothing. */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let value: JsonValue | undefined = root
  for (const step of pointer.split('/').slice(1)) {
    const segment = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (isObject(value)) value = Object.hasOwn(value, segment) ? value[segment] : undefined
    else value = Array.isArray(value) && /^(0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined
  }
  return value
}

/** Returns a name as one step of a pointer. */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the pointer in a reference's fragment, decoded; undefined if its percent signs are invalid. */
export function pointerOf(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
