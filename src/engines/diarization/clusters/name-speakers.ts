import type { Heard, Voice } from '../hear-windows.ts'
import { hasVoices } from '../hear-windows.ts'
import { localSpeakers, nobody } from '../turns/frame-speakers.ts'
import { speechOf } from '../voices/voice-frames.ts'
import type { WindowGrid } from '../windows/window-grid.ts'
import { matchRows } from './match.ts'

/**
 * Says of each window's own speakers which of the recording's speakers they are; `localSpeakers` numbers a window. Two of a
 * window are never the same, as long as there are enough. A voice belongs to the mean voice that is most like it. Of windows
 * whose voices are not known, speakers are those of the windows around who speak when they do.
 */
export function nameSpeakers({ masks, voices }: Heard, grid: WindowGrid, means: readonly Float32Array[]): Int16Array {
  const speakers = new Int16Array(grid.windowCount * localSpeakers).fill(nobody)
  if (means.length === 0) return speakers
  for (const own of byWindow(voices)) {
    const matched = matchRows(own.map(({ vector }) => means.map((mean) => likeness(vector, mean))))
    for (const [index, { window, local }] of own.entries()) {
      speakers[window * localSpeakers + local] = matched[index] ?? nobody
    }
  }
  let before = 0
  for (let next = 1; next < grid.windowCount; next++) {
    if (!hasVoices(grid, next)) continue
    const known = [before, next].map((window) => ({ window, speakers: speakers.subarray(window * localSpeakers) }))
    for (let window = before + 1; window < next; window++) {
      const found = followSpeakers({ masks, grid, window, known, speakerCount: means.length })
      speakers.set(found, window * localSpeakers)
    }
    before = next
  }
  return speakers
}

/** Voices come in the order of their windows. */
function byWindow(voices: readonly Voice[]): Voice[][] {
  const groups: Voice[][] = []
  for (const voice of voices) {
    const last = groups.at(-1)
    if (last?.[0]?.window === voice.window) last.push(voice)
    else groups.push([voice])
  }
  return groups
}

function likeness(vector: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < vector.length; index++) sum += (vector[index] as number) * (other[index] as number)
  return sum
}

interface Following {
  readonly masks: Uint8Array
  readonly grid: WindowGrid
  readonly window: number
  /** Windows that overlap it, and who their own speakers are. */
  readonly known: readonly { readonly window: number; readonly speakers: Int16Array }[]
  readonly speakerCount: number
}

function followSpeakers({ masks, grid, window, known, speakerCount }: Following): Int16Array {
  const { windowFrames, stepFrames } = grid
  const found = new Int16Array(localSpeakers).fill(nobody)
  const own = masks.subarray(window * windowFrames, (window + 1) * windowFrames)
  const shared = Array.from({ length: localSpeakers }, () => new Array<number>(speakerCount).fill(0))
  for (const { window: other, speakers } of known) {
    const shift = (window - other) * stepFrames
    for (let frame = Math.max(0, -shift); frame < Math.min(windowFrames, windowFrames - shift); frame++) {
      countShared(shared, own[frame] ?? 0, masks[other * windowFrames + frame + shift] ?? 0, speakers)
    }
  }
  const locals = speechOf(own).map(({ local }) => local)
  const rows = locals.map((local) => shared[local] ?? [])
  const matched = matchRows(rows)
  for (const [index, local] of locals.entries()) {
    const speaker = matched[index] ?? nobody
    found[local] = (rows[index]?.[speaker] ?? 0) > 0 ? speaker : nobody
  }
  return found
}

/** Counts a frame in which a window's own speakers (`mask`) speak while others (`otherMask`) do in a window that is known. */
function countShared(shared: number[][], mask: number, otherMask: number, speakers: Int16Array): void {
  if (mask === 0) return
  for (let other = 0; otherMask >> other > 0; other++) {
    const speaker = speakers[other] as number
    if (((otherMask >> other) & 1) === 0 || speaker === nobody) continue
    for (let local = 0; mask >> local > 0; local++) {
      const counts = shared[local]
      if (((mask >> local) & 1) === 1 && counts !== undefined) counts[speaker] = (counts[speaker] ?? 0) + 1
    }
  }
}
