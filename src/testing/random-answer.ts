import fc from 'fast-check'
import type { ChatEvent } from '../core/chat.ts'
import { nothingConsumed } from '../core/usage.ts'

/** A stretch of one kind of output: what a model writes before it goes on to something else. */
type Stretch =
  | { readonly kind: 'text' | 'reasoning'; readonly pieces: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly pieces: readonly string[] }

export interface RandomAnswerOptions {
  readonly choices: number
  /** Tools that may be called; models also call tools that were not offered. */
  readonly toolNames: readonly string[]
}

/** Whole characters, as engines give them, of every plane; often white space, often nothing. */
const piece = fc.oneof(
  fc.constantFrom('', ' ', '\n', ' the', '"', '\\', '🙂', '\u2028', '</think>', 'data: x\n\n'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

function stretch(toolNames: readonly string[]): fc.Arbitrary<Stretch> {
  const pieces = fc.array(piece, { maxLength: 5 })
  return fc.oneof(
    fc.record({ kind: fc.constantFrom('text', 'reasoning'), pieces }),
    fc.record({ kind: fc.constant('call'), name: fc.constantFrom(...toolNames, 'unknown'), pieces: argumentPieces }),
  )
}

/** JSON text of an object, usual or odd, cut anywhere between characters; nothing at all for a call without arguments. */
const argumentPieces = fc
  .tuple(
    fc.oneof(
      fc.constant(''),
      fc.record({ input: fc.string({ unit: 'binary' }) }).map((value) => JSON.stringify(value)),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
      fc.string(),
    ),
    fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 9 }),
  )
  .map(([text, sizes]) => cut([...text], sizes))

/** Pieces of the given sizes, over and over; zeros are empty pieces. */
function cut(characters: readonly string[], sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < characters.length; turn++) {
    // One of each round is not empty, so that it ends.
    const size = turn % sizes.length === 0 ? Math.max(1, sizes[0] ?? 1) : (sizes[turn % sizes.length] ?? 1)
    pieces.push(characters.slice(at, at + size).join(''))
    at += size
  }
  return pieces
}

/** Everything that an engine may say in answer to one request, in any order that it may say it in. */
export function randomAnswer({ choices, toolNames }: RandomAnswerOptions): fc.Arbitrary<ChatEvent[]> {
  const choice = fc.tuple(fc.array(stretch(toolNames), { maxLength: 6 }), fc.constantFrom('whole', 'cut'))
  return fc
    .tuple(fc.array(choice, { minLength: choices, maxLength: choices }), fc.infiniteStream(fc.nat()))
    .map(([answers, turns]) => [
      { type: 'start', promptTokens: 9, cachedTokens: 4 },
      ...interleave(
        answers.map(([stretches, ending], index) => choiceEvents(stretches, ending === 'cut', index)),
        turns,
      ),
      {
        type: 'finish',
        usage: { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 7, reasoningTokens: 2 },
      },
    ])
}

function choiceEvents(stretches: readonly Stretch[], isCut: boolean, choice: number): ChatEvent[] {
  let calls = 0
  const events = stretches.flatMap((part): ChatEvent[] => {
    if (part.kind !== 'call') {
      const type = part.kind === 'text' ? 'text-delta' : 'reasoning-delta'
      return part.pieces.map((text) => ({ type, choice, text }))
    }
    const index = calls++
    return [
      { type: 'tool-call-start', choice, index, name: part.name },
      ...part.pieces.map((argumentsText): ChatEvent => ({ type: 'tool-call-delta', choice, index, argumentsText })),
    ]
  })
  const reason = isCut ? 'length' : calls > 0 ? 'tool-calls' : 'stop'
  return [...events, { type: 'choice-finish', choice, reason }]
}

/** One list that keeps the order of each. */
function interleave(lists: ChatEvent[][], turns: Iterator<number>): ChatEvent[] {
  const rest = lists.map((list) => [...list])
  const events: ChatEvent[] = []
  for (;;) {
    const open = rest.filter((list) => list.length > 0)
    const next = open[(turns.next().value ?? 0) % open.length]?.shift()
    if (next === undefined) return events
    events.push(next)
  }
}
