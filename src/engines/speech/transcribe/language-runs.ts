import type { Batching, PartsTurn, PartsTurns } from '../../shared/waiting-parts.ts'

interface WaitingChunk {
  /** Empty if the model finds out. */
  readonly language: string
}

/**
 * Returns the batching policy of chunks. Some recognisers are set to a language for all that they recognise. So chunks of another
 * language wait until the lanes are empty, and the first after a change has them alone. A language keeps the lanes for as many chunks
 * as there are lanes, if that many wait; then the chunks in turn come in any language.
 */
export function languageRuns(chunksTogether: () => number): Batching<WaitingChunk> {
  let language = ''
  /** True if the last run changed the language. */
  let isChanged = false
  /** Chunks begun since the last change. */
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
