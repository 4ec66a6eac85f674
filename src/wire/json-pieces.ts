/** Array elements per piece. */
const pieceLength = 50

/**
 * Yields JSON of plain data in pieces: log probabilities of a long answer are tens of megabytes, and writing them at
 * once would delay all other requests. Iterators are written as arrays, each element as it is made,
 * and maps as objects in their own order.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* arrayPieces(value)
  else if (value instanceof Iterator) yield* listPieces(value)
  else if (value instanceof Map) yield mapText(value)
  else if (isNested(value)) yield* objectPieces(value)
  else yield JSON.stringify(value) ?? 'null'
}

/** Writes a short map. Objects would put names that are numbers first. */
function mapText(map: ReadonlyMap<unknown, unknown>): string {
  return `{${Array.from(map, ([name, value]) => `${JSON.stringify(String(name))}:${JSON.stringify(value)}`).join()}}`
}

/** Returns whether the value contains objects. Others are short. */
function isNested(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((field) => typeof field === 'object' && field !== null)
}

function* arrayPieces(values: readonly unknown[]): Generator<string> {
  if (values.length > pieceLength) {
    yield '['
    for (let at = 0; at < values.length; at += pieceLength) {
      const piece = JSON.stringify(values.slice(at, at + pieceLength)).slice(1, -1)
      yield at === 0 ? piece : `,${piece}`
    }
    yield ']'
  } else yield* listPieces(values)
}

function* listPieces(values: Iterable<unknown>): Generator<string> {
  let before = '['
  for (const value of values) {
    yield before
    yield* jsonPieces(value)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

/** Yields an object that has at least one field. */
function* objectPieces(fields: object): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* jsonPieces(value)
    before = ','
  }
  yield '}'
}
