import fc from 'fast-check'
import type { ChatEvent } from '../core/chat.ts'
import { nothingConsumed } from '../core/usage.ts'

/** A run of one kind of output. */
type Stretch =
  | { readonly kind: 'text' | 'reasoning'; readonly pieces: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly pieces: readonly string[] }

export interface RandomAnswerOptions {
  readonly choices: number
  /** Names of callable tools. Models also call tools that were not offered. */
  readonly toolNames: readonly string[]
}

/** Whole characters of every plane, as engines give them; often white space, often empty. */
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

/** JSON text of a usual or odd object, cut between any two characters. A call without arguments has none. */
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

/** Returns pieces of the given sizes, repeated in a cycle. A size of zero gives an empty piece. */
function cut(characters: readonly string[], sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < characters.length; turn++) {
    // The first piece of each round is not empty, so that the loop ends.
    const size = turn % sizes.length === 0 ? Math.max(1, sizes[0] ?? 1) : (sizes[turn % sizes.length] ?? 1)
    pieces.push(characters.slice(at, at + size).join(''))
    at += size
  }
  return pieces
}

/** Generates events that an engine may send in answer to one request, in any possible order. */
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

/** Merges the lists at random, and keeps the order within each. */
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
