import type { Batching, PartsTurn, PartsTurns } from '../../shared/waiting-parts.ts'
import { isSameSetting, type RunSetting, usualSetting } from './recognizer-kinds.ts'

interface WaitingChunk {
  readonly setting: RunSetting
}

/**
 * Returns the batching policy of chunks. Some recognisers have one language and task for everything that runs. Chunks
 * of another setting therefore wait until the lanes are empty, and the first run after a change runs alone. A setting
 * keeps the lanes for as many chunks as there are lanes, if that many wait; then the next chunks may be of any setting.
 */
export function settingRuns(chunksTogether: () => number): Batching<WaitingChunk> {
  let setting = usualSetting
  /** True if the last run changed the setting. */
  let isChanged = false
  /** Chunks started since the last change. */
  let begun = 0

  const next = (turns: PartsTurns<WaitingChunk>, lanes: number): PartsTurn<WaitingChunk> | undefined => {
    const [first, ...others] = turns()
    const isSame = ({ part }: PartsTurn<WaitingChunk>) => isSameSetting(part.setting, setting)
    return first !== undefined && begun < lanes ? ([first, ...others].find(isSame) ?? first) : first
  }

  return (turns, { runs, lanes }) => {
    if (runs >= (isChanged ? 1 : lanes)) return
    for (let taken = 0; taken < chunksTogether(); taken++) {
      const turn = next(turns, lanes)
      if (turn === undefined) return
      const isNew = !isSameSetting(turn.part.setting, setting)
      if (isNew && runs + taken > 0) return
      setting = turn.part.setting
      begun = isNew ? 1 : begun + 1
      isChanged = isNew
      turn.take()
      if (isNew) return
    }
  }
}
