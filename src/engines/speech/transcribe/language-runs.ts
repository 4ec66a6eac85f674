import type { Batching, PartsTurn, PartsTurns } from '../../shared/waiting-parts.ts'

interface WaitingChunk {
  /** Empty if the model detects it. */
  readonly language: string
}

/**
 * Returns the batching policy of chunks. Some recognisers have one language setting for everything that runs. Chunks
 * of another language therefore wait until the lanes are empty, and the first run after a change runs alone. A
 * language keeps the lanes for as many chunks as there are lanes, if that many wait; then the next chunks may be of
 * any language.
 */
export function languageRuns(chunksTogether: () => number): Batching<WaitingChunk> {
  let language = ''
  /** True if the last run changed the language. */
  let isChanged = false
  /** Chunks started since the last change. */
  let begun = 0

  const next = (turns: PartsTurns<WaitingChunk>, lanes: number): PartsTurn<WaitingChunk> | undefined => {
    const [first, ...others] = turns()
    const isSame = ({ part }: PartsTurn<WaitingChunk>) => part.language === language
    return first !== undefined && begun < lanes ? ([first, ...others].find(isSame) ?? first) : first
  }

  return (turns, { runs, lanes }) => {
    if (runs >= (isChanged ? 1 : lanes)) return
    for (let taken = 0; taken < chunksTogether(); taken++) {
      const turn = next(turns, lanes)
      if (turn === undefined) return
      const isNew = turn.part.language !== language
      if (isNew && runs + taken > 0) return
      language = turn.part.language
      begun = isNew ? 1 : begun + 1
      isChanged = isNew
      turn.take()
      if (isNew) return
    }
  }
}
