/** Elements of a long array in one piece. */
const pieceLength = 50

/**
 * Plain data as JSON, in pieces: the log probabilities of a long answer are tens of megabytes, and writing them at once would
 * delay all other requests. An iterator of objects is written as an array, each element as it is made.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* arrayPieces(value)
  else if (value instanceof Iterator) yield* listPieces(value)
  else if (isNested(value)) yield* objectPieces(value)
  else yield JSON.stringify(value) ?? 'null'
}

/** What is not is short. */
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

/** Of at least one field. */
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
