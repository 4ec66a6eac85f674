import type { SpeakerTurn } from '../../../core/speech.ts'
import { nobody } from '../clusters/name-speakers.ts'
import { frameStartSeconds, type WindowGrid } from '../windows/window-grid.ts'

export interface TurnRules {
  /** Pauses shorter than this do not end a turn. */
  readonly pauseSeconds: number
  /** Shorter turns are left out. */
  readonly shortestSeconds: number
}

/** Returns turns in order of time. Speakers are numbered by their first turn. */
export function speakerTurns(frames: Int16Array, grid: WindowGrid, rules: TurnRules): readonly SpeakerTurn[] {
  const spoken = joinPauses(runsOf(frames, grid), rules.pauseSeconds)
  const long = joinPauses(
    spoken.filter((turn) => turn.endSeconds - turn.startSeconds >= rules.shortestSeconds),
    rules.pauseSeconds,
  )
  const numbers = new Map<number, number>()
  return long.map(({ speaker, startSeconds, endSeconds }) => {
    const number = numbers.get(speaker) ?? numbers.size
    numbers.set(speaker, number)
    return { speaker: number, startSeconds, endSeconds }
  })
}

function runsOf(frames: Int16Array, grid: WindowGrid): SpeakerTurn[] {
  const runs: SpeakerTurn[] = []
  let start = 0
  for (let frame = 1; frame <= frames.length; frame++) {
    const speaker = frames[start] ?? nobody
    if (frames[frame] === speaker) continue
    const [startSeconds, endSeconds] = [frameStartSeconds(grid, start), frameStartSeconds(grid, frame)]
    if (speaker !== nobody) runs.push({ speaker, startSeconds, endSeconds })
    start = frame
  }
  return runs
}

function joinPauses(turns: readonly SpeakerTurn[], pauseSeconds: number): SpeakerTurn[] {
  const joined: SpeakerTurn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    const isSame = last?.speaker === turn.speaker && turn.startSeconds - last.endSeconds < pauseSeconds
    if (last !== undefined && isSame) joined[joined.length - 1] = { ...last, endSeconds: turn.endSeconds }
    else joined.push(turn)
  }
  return joined
}
