import type { PromptScores } from '../../../core/chat.ts'
import type { NativeModel, NativeScores } from '../native.ts'

interface ScoredPlaces {
  readonly choice: number
  readonly model: Pick<NativeModel, 'tokenBytes'>
  /** Units of the prompt, all of them tokens. */
  readonly units: ArrayLike<number>
  /** Places to report: from `first` up to `end`. */
  readonly first: number
  readonly end: number
  /** Scores of these places without place 0, which follows nothing. Undefined if there are none. */
  readonly scores: NativeScores | undefined
}

/** Returns the event of some places of a prompt. */
export function toPromptScores({ choice, model, units, first, end, scores }: ScoredPlaces): PromptScores {
  const ids: number[] = []
  const logprobs: number[] = []
  const placeEnds: number[] = []
  const ranks: number[] = []
  const { length: rows } = scores?.logprobs ?? []
  const top = scores === undefined || rows === 0 ? 0 : scores.topTokens.length / rows
  for (let place = first; place < end; place++) {
    const row = place - Math.max(first, 1)
    ids.push(units[place] ?? 0)
    logprobs.push(place === 0 ? Number.NaN : (scores?.logprobs[row] ?? Number.NEGATIVE_INFINITY))
    ranks.push(place === 0 ? 0 : (scores?.ranks[row] ?? 0))
    for (let index = row * top; place > 0 && index < (row + 1) * top; index++) {
      const id = scores?.topTokens[index] ?? -1
      if (id < 0) break
      ids.push(id)
      logprobs.push(scores?.topLogprobs[index] ?? Number.NEGATIVE_INFINITY)
    }
    placeEnds.push(ids.length)
  }
  const pieces = ids.map((id) => model.tokenBytes(id, true))
  let length = 0
  const ends = Int32Array.from(pieces, (piece) => {
    length += piece.length
    return length
  })
  return {
    type: 'prompt-scores',
    choice,
    ids: Int32Array.from(ids),
    scores: Float64Array.from(logprobs),
    bytes: new Uint8Array(Bun.concatArrayBuffers(pieces)),
    ends,
    placeEnds: Int32Array.from(placeEnds),
    ranks: Int32Array.from(ranks),
  }
}
