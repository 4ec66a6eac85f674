/** Scores of prompts in answers of servers, read without trust in their form. */
import { setImmediate } from 'node:timers/promises'
import type { PromptScores } from '../../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'
import { malformedAnswer } from '../../http/failure.ts'

interface Candidate {
  /** -1 where unknown. */
  readonly id: number
  readonly text: string
  readonly logprob: number
  /** 0 where unknown. */
  readonly rank: number
}

/** Parts of a server's answer about one prompt. */
export interface ToldScores {
  /** `prompt_logprobs` of vLLM: for each place its candidates by id. */
  readonly byId: readonly JsonValue[] | undefined
  /** Parallel lists of completions, whose beginning is the prompt's. */
  readonly lists: JsonObject | undefined
  /** Ids of the prompt, where the client sent them. */
  readonly ids: readonly number[] | undefined
  readonly alternatives: number
}

/** Places read at once, in the server's own thread: with all alternatives a few milliseconds. */
const placesAtOnce = 256

/**
 * Reads the first `places` places of a prompt in pieces, between which others have their turn. Throws UpstreamFailure
 * for places without scores.
 */
export async function readPromptScores(told: ToldScores, choice: number, places: number): Promise<PromptScores[]> {
  const events: PromptScores[] = []
  for (let first = 0; first < places; first += placesAtOnce) {
    if (first > 0) await setImmediate()
    events.push(readPlaces(told, choice, first, Math.min(first + placesAtOnce, places)))
  }
  return events
}

function readPlaces(told: ToldScores, choice: number, first: number, end: number): PromptScores {
  const ids: number[] = []
  const scores: number[] = []
  const pieces: Uint8Array[] = []
  const placeEnds: number[] = []
  const ranks: number[] = []
  for (let place = first; place < end; place++) {
    const [own, ...others] = candidatesAt(told, place)
    if (own === undefined) throw malformedAnswer('a token of the prompt without a log probability')
    for (const { id, text, logprob } of [own, ...others.slice(0, told.alternatives)]) {
      ids.push(id)
      scores.push(logprob)
      pieces.push(bytesOf(text))
    }
    placeEnds.push(ids.length)
    ranks.push(own.rank)
  }
  let length = 0
  const ends = Int32Array.from(pieces, (piece) => {
    length += piece.length
    return length
  })
  return {
    ...{ type: 'prompt-scores', choice, ends },
    ids: Int32Array.from(ids),
    scores: Float64Array.from(scores),
    bytes: new Uint8Array(Bun.concatArrayBuffers(pieces)),
    placeEnds: Int32Array.from(placeEnds),
    ranks: Int32Array.from(ranks),
  }
}

const encoder = new TextEncoder()

/** Returns the bytes of a token, also of a part of a character: `bytes:\xf0\x9f`. */
function bytesOf(text: string): Uint8Array {
  const codes = /^bytes:((?:\\x[0-9a-f]{2})+)$/.exec(text)?.[1]
  return codes === undefined ? encoder.encode(text) : Uint8Array.fromHex(codes.replaceAll('\\x', ''))
}

/** Returns the prompt's own token at a place, then the alternatives, likeliest first. */
function candidatesAt({ byId, lists, ids, alternatives }: ToldScores, place: number): readonly Candidate[] {
  const named = byId === undefined ? [] : namedAt(byId, place)
  const listed = lists === undefined ? [] : listedAt(lists, place)
  const [first] = listed
  const known = ids?.[place]
  const isOwn = (candidate: Candidate) => {
    if (known !== undefined) return candidate.id === known
    if (first !== undefined) return candidate.logprob === first.logprob
    return named.length > Math.max(1, alternatives) ? candidate.rank > alternatives : true
  }
  const own = named.find(isOwn)
  if (place === 0) {
    const text = first === undefined || first.id >= 0 ? (own?.text ?? '') : first.text
    return [{ id: known ?? own?.id ?? first?.id ?? -1, text, logprob: Number.NaN, rank: 0 }]
  }
  if (own === undefined) return listed.map((each, index) => (index === 0 ? { ...each, id: known ?? each.id } : each))
  // A list may name tokens by their ids.
  const text = first === undefined || first.id >= 0 ? own.text : first.text
  const others = named.toSorted((one, other) => other.logprob - one.logprob)
  // Parts of characters have their bytes only in lists.
  const nameOf = ({ logprob, text }: Candidate) =>
    listed.slice(1).find((each) => each.id < 0 && each.logprob === logprob)?.text ?? text
  return [{ ...own, text }, ...others.map((each) => ({ ...each, text: nameOf(each) }))]
}

function namedAt(byId: readonly JsonValue[], place: number): readonly Candidate[] {
  const entries = byId[place]
  if (!isObject(entries)) return []
  return Object.entries(entries).flatMap(([name, entry]) => {
    const id = Number(name)
    if (!isObject(entry) || typeof entry.logprob !== 'number' || !Number.isInteger(id) || id < 0 || id > mostId)
      return []
    const { logprob, decoded_token: text, rank } = entry
    return [{ id, logprob, text: textOf(text), rank: typeof rank === 'number' && rank > 0 ? Math.floor(rank) : 0 }]
  })
}

const mostId = 2 ** 31 - 1

function listedAt({ tokens, token_logprobs: logprobs, top_logprobs: top }: JsonObject, place: number): Candidate[] {
  const logprob = entryOf(logprobs, place)
  if (typeof logprob !== 'number' && place > 0) return []
  const own = toCandidate(textOf(entryOf(tokens, place)), typeof logprob === 'number' ? logprob : Number.NaN)
  const others = entryOf(top, place)
  const sorted = Object.entries(isObject(others) ? others : {}).flatMap(([text, value]) =>
    typeof value === 'number' ? [toCandidate(text, value)] : [],
  )
  return [own, ...sorted.sort((one, other) => other.logprob - one.logprob)]
}

/** Reads the id of a token that is named by it. */
function toCandidate(text: string, logprob: number): Candidate {
  const id = /^token_id:(\d{1,9})$/.exec(text)?.[1]
  return { id: id === undefined ? -1 : Number(id), text, logprob, rank: 0 }
}

function entryOf(list: JsonValue | undefined, index: number): JsonValue | undefined {
  const entries: readonly JsonValue[] = Array.isArray(list) ? list : []
  return entries[index]
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.toWellFormed() : ''
}
