/** Scores of prompts in the forms of clients. */
import type { PromptScores } from '../../core/chat.ts'
import { optionalFlag, optionalInteger } from '../check.ts'
import { limits } from '../limits.ts'
import { unsupportedParameter } from '../unsupported.ts'

/** vLLM's fields. */
export const scoreFields = {
  prompt_logprobs: optionalInteger(0, limits.alternatives.most),
  return_tokens_as_token_ids: optionalFlag,
}

interface ScoredRequest {
  readonly stream?: boolean | undefined
  readonly n?: number | undefined
}

/** Throws ApiError 400 for what cannot stand beside scores of prompts. `field` asks for the scores. */
export function refuseBesideScores(field: string, { stream = false, n = 1 }: ScoredRequest): void {
  if (stream) throw unsupportedParameter('stream', ` beside ${field}. Leave one of them out.`)
  if (n > 1) throw unsupportedParameter('n', ` above 1 beside ${field}. Send the request several times.`)
}

/** A candidate at one place of a prompt. */
export interface ScoredToken {
  /** -1 where unknown. */
  readonly id: number
  readonly bytes: Uint8Array
  readonly logprob: number
}

interface ScoredPlace {
  readonly own: ScoredToken
  /** Rank of `own`, from 1; 0 where unknown. */
  readonly rank: number
  /** Likeliest tokens, the likeliest first. May include `own`. */
  readonly alternatives: readonly ScoredToken[]
}

/** Yields the places of an event in order. The first token of a prompt has the log probability NaN. */
export function* placesOf({ ids, scores, bytes, ends, placeEnds, ranks }: PromptScores): Generator<ScoredPlace> {
  let at = 0
  for (const [place, end] of placeEnds.entries()) {
    const tokens: ScoredToken[] = []
    for (; at < end; at++) {
      const piece = bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at])
      tokens.push({ id: ids[at] ?? -1, bytes: piece, logprob: scores[at] ?? Number.NaN })
    }
    const [own, ...alternatives] = tokens
    if (own !== undefined) yield { own, rank: ranks[place] ?? 0, alternatives }
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Yields vLLM's `prompt_logprobs`: null for the first token, then the prompt's own token and `most` alternatives. */
export function* promptLogprobs(events: readonly PromptScores[], most: number) {
  for (const event of events) {
    for (const { own, rank, alternatives } of placesOf(event)) {
      if (Number.isNaN(own.logprob)) yield null
      else {
        const entries = new Map([[String(own.id), toEntry(own, rank)]])
        for (const [index, each] of alternatives.slice(0, most).entries()) {
          if (each.id !== own.id) entries.set(String(each.id), toEntry(each, index + 1))
        }
        yield entries
      }
    }
  }
}

function toEntry({ bytes, logprob }: ScoredToken, rank: number) {
  return { logprob: finite(logprob), rank, decoded_token: decoder.decode(bytes) }
}

/** JSON has no -Infinity, the value of excluded tokens: the contract's stand-in is -9999. */
function finite(logprob: number): number {
  return Number.isFinite(logprob) ? logprob : -9999
}
