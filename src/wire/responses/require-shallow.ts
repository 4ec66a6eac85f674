import { isDeeperThan } from '../chat/client-json.ts'
import { invalidValue } from '../check.ts'

/** More than any message needs, and far less than what a call stack holds. */
const maxDepth = 256

/** Throws ApiError 400 naming the field that nests too deep: echoing it would overflow the stack. */
export function requireShallow(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (isDeeperThan(value, maxDepth)) throw invalidValue(name, `nested at most ${maxDepth} levels deep`)
  }
}
