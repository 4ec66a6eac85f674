/** Arguments of calls that a client echoes back, in the form that templates want. */
import { type JsonValue, jsonIn } from '../../../core/json.ts'

/** Deepest nesting of arguments, below what recursive printers of servers and libraries can handle. */
const deepestArguments = 64

/** Returns the text of a JSON object. Anything else that the model wrote is wrapped unchanged in one. */
export function objectText(text: string): string {
  if (text.trim() === '') return '{}'
  const shown = JSON.stringify({ arguments: text })
  if (!text.trimStart().startsWith('{') || nestingOf(text) > deepestArguments) return shown
  return jsonIn(text) === undefined ? shown : text // the model wrote invalid JSON
}

/**
 * Returns the text of a JSON object in which lists and objects are JSON texts themselves. Returns it unchanged if it
 * has none.
 */
export function flatText(text: string): string {
  const members: [string, JsonValue][] = Object.entries(JSON.parse(objectText(text)))
  const isNested = (value: JsonValue) => typeof value === 'object' && value !== null
  if (!members.some(([, value]) => isNested(value))) return text
  const flat = members.map(([name, value]) => [name, isNested(value) ? JSON.stringify(value) : value])
  return JSON.stringify(Object.fromEntries(flat))
}

function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth)
    else if (token === '}' || token === ']') depth--
  }
  return deepest
}

/** Removes and returns the call of a result: the named one, else the next one without a result. */
export function takeCall<Call extends { readonly id: string }>(
  unanswered: Call[],
  id: string | undefined,
): Call | undefined {
  const named = id === undefined ? 0 : unanswered.findIndex((call) => call.id === id)
  return unanswered.splice(named, named < 0 ? 0 : 1)[0]
}
