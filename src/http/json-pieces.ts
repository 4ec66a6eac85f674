import { setImmediate } from 'node:timers/promises'

/** Elements of a long array in one piece. */
const pieceLength = 50

/**
 * Plain data as JSON, in pieces. The log probabilities of a long answer are tens of megabytes: writing them at once would
 * delay all other requests.
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

/** How long the event loop is kept from other requests at a time. */
const turnMs = 5

/** Joins the pieces while other requests are served: a million numbers take a tenth of a second to write. */
export async function joinInTurns(
  pieces: Iterable<string>,
  nowMs: () => number = () => performance.now(),
): Promise<string> {
  let text = ''
  let beganAtMs = nowMs()
  for (const piece of pieces) {
    text += piece
    if (nowMs() - beganAtMs < turnMs) continue
    await setImmediate()
    beganAtMs = nowMs()
  }
  return text
}
