import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../core/json.ts'

/** Words with a meaning in some body: a misplaced one finds more faults than a random one. */
const words = [
  ...['system', 'developer', 'user', 'assistant', 'tool', 'function', 'none', 'auto', 'any', 'required', 'enabled'],
  ...['text', 'refusal', 'image_url', 'input_text', 'output_text', 'input_image', 'image', 'document', 'search_result'],
  ...['message', 'reasoning', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'function_call', 'custom'],
  ...['function_call_output', 'custom_tool_call', 'item_reference', 'agent_message', 'additional_tools', 'compaction'],
  ...['tool_search', 'namespace', 'web_search', 'local_shell', 'mcp', 'allowed_tools', 'json_object', 'json_schema'],
  ...['float', 'base64', 'query', 'search_document', 'title'],
  ...['object', 'array', 'string', 'integer', 'null', '#', '#/$defs/a', '#/properties/a', '$ref', 'constructor'],
  ...['__proto__', 'toString', '', ' ', '\u0000', '\ud800', 'a\udc00b', 'a.b/c d\n"', 'data:image/png;base64,!'],
]

const oddNumbers = [0, -0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 63, 1e-320, 4_294_967_296]

export const oddValue: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<JsonValue>(...words) },
  { weight: 3, arbitrary: fc.constantFrom<JsonValue>(null, true, false, [], {}, [[]], [null], { type: null }) },
  { weight: 2, arbitrary: fc.constantFrom<JsonValue>(...oddNumbers) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => value as JsonValue) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(10_000)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...nestings()), fc.nat(3_000)).map(nest) },
)

interface Mutation {
  readonly kind: 'replace' | 'delete' | 'rename' | 'add' | 'transplant' | 'reverse' | 'repeat'
  /** Index of the changed value, modulo the number of the body's values. */
  readonly at: number
  /** Index of the value that `transplant` puts there. */
  readonly from: number
  readonly value: JsonValue
  readonly key: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'delete', 'rename', 'add', 'transplant', 'reverse', 'repeat'),
  at: fc.nat(),
  from: fc.nat(),
  value: oddValue,
  key: fc.oneof(fc.constantFrom(...words), fc.string()),
})

/** Generates JSON text of one of the bodies, with some values replaced, moved, renamed or removed. */
export function mutatedJson(bodies: readonly JsonObject[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...bodies), fc.array(mutation, { maxLength: 4, size: 'max' }))
    .map(([body, mutations]) => JSON.stringify(mutations.reduce<JsonValue>(mutate, body)))
}

type Path = readonly (string | number)[]

function mutate(root: JsonValue, { kind, at, from, value, key }: Mutation): JsonValue {
  const paths = [...pathsOf(root)]
  const path = paths[at % paths.length] ?? []
  const other = valueAt(root, paths[from % paths.length] ?? [])
  return replaceAt(root, path, (old) => {
    switch (kind) {
      case 'replace':
        return value
      case 'transplant':
        return other
      case 'delete':
        return undefined
      case 'rename':
        return isObject(old) ? rename(old, from, key) : value
      case 'add':
        return isObject(old) ? Object.fromEntries([...Object.entries(old), [key, value]]) : [value]
      case 'reverse':
        return Array.isArray(old) ? old.toReversed() : value
      default:
        return Array.isArray(old) ? [...old, ...old] : [old, old]
    }
  })
}

function* pathsOf(value: JsonValue, path: Path = []): Generator<Path> {
  yield path
  // Values in deep nestings would outnumber all others, and their paths are long.
  if (path.length > 20 || typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...path, key])
}

function valueAt(root: JsonValue, path: Path): JsonValue {
  return path.reduce<JsonValue>((value, key) => (isContainer(value) ? (Reflect.get(value, key) ?? null) : null), root)
}

/**
 * Returns a copy of `root` with the value at `path` replaced by the result of `change`, or left out if that is
 * undefined.
 */
function replaceAt(root: JsonValue, path: Path, change: (old: JsonValue) => JsonValue | undefined): JsonValue {
  const [head, ...rest] = path
  if (head === undefined) return change(root) ?? null
  if (!isContainer(root)) return root
  const entries = Object.entries(root).flatMap(([key, child]): [string, JsonValue][] => {
    if (key !== head) return [[key, child]]
    if (rest.length > 0) return [[key, replaceAt(child, rest, change)]]
    const changed = change(child)
    return changed === undefined ? [] : [[key, changed]]
  })
  return Array.isArray(root) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

function rename(object: JsonObject, which: number, key: string): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(
    entries.map(([name, value], index) => [index === which % entries.length ? key : name, value]),
  )
}

/** Returns ways to nest a value: plainly, as content of messages, as schemas. */
function nestings(): ((inner: JsonValue) => JsonValue)[] {
  return [
    (inner) => [inner],
    (inner) => ({ content: inner }),
    (inner) => ({ type: 'object', properties: { a: inner } }),
    (inner) => ({ anyOf: [inner] }),
    (inner) => ({ $defs: { a: { items: inner } }, $ref: '#/$defs/a' }),
  ]
}

function nest([wrap, depth]: [(inner: JsonValue) => JsonValue, number]): JsonValue {
  let value: JsonValue = {}
  for (let level = 0; level < depth; level++) value = wrap(value)
  return value
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null
}

function isObject(value: JsonValue): value is JsonObject {
  return isContainer(value) && !Array.isArray(value)
}
