/** Elements of a long array that are written as one piece. */
const pieceLength = 50

/**
 * Plain data as JSON, in pieces. Log probabilities of a long answer are tens of megabytes: writing them at once would hold
 * up everybody else.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* arrayPieces(value)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value)
  else yield JSON.stringify(value) ?? 'null'
}

function* arrayPieces(values: readonly unknown[]): Generator<string> {
  yield '['
  if (values.length > pieceLength) {
    for (let at = 0; at < values.length; at += pieceLength) {
      const piece = JSON.stringify(values.slice(at, at + pieceLength)).slice(1, -1)
      yield at === 0 ? piece : `,${piece}`
    }
  } else {
    for (const [index, value] of values.entries()) {
      if (index > 0) yield ','
      yield* jsonPieces(value)
    }
  }
  yield ']'
}

function* objectPieces(fields: object): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* jsonPieces(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
