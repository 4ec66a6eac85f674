import { expect, test } from 'bun:test'
import type { Voice } from '../hear-windows.ts'
import { localSpeakers, nobody } from '../turns/frame-speakers.ts'
import type { WindowGrid } from '../windows/window-grid.ts'
import { nameSpeakers } from './name-speakers.ts'

const means = [Float32Array.of(1, 0), Float32Array.of(0, 1)]

/** Windows of eight frames, each of which starts two frames after the one before. Voices are known in windows 0, 3 and the last. */
function grid(windowCount: number): WindowGrid {
  const shape = { windowSamples: 8, windowFrames: 8, frameShiftSamples: 1, frameFieldSamples: 1 }
  return { ...shape, windowCount, stepFrames: 2, frameCount: 2 * windowCount + 6 }
}

function voice(window: number, local: number, vector: readonly [number, number]): Voice {
  return { window, local, aloneFrames: 4, vector: Float32Array.from(vector) }
}

function names(windows: readonly string[], voices: readonly Voice[]): number[][] {
  const masks = Uint8Array.from(windows.join(''), Number)
  const speakers = nameSpeakers({ masks, voices }, grid(windows.length), means)
  return windows.map((_, window) => [...speakers.subarray(window * localSpeakers, window * localSpeakers + 2)])
}

test('a voice belongs to the mean voice that is most like it', () => {
  expect(names(['11110000'], [voice(0, 0, [0.2, 0.9])])).toEqual([[1, nobody]])
})

test('two of a window are not the same speaker', () => {
  const voices = [voice(0, 0, [0.9, 0.3]), voice(0, 1, [0.8, 0.6])]
  expect(names(['11112222'], voices)).toEqual([[0, 1]])
})

test('windows between have the speakers who speak at the same time in the windows around', () => {
  // Speaker 1 speaks in frames 0 to 3, speaker 0 in 4 to 9; the windows call them by other numbers.
  const windows = ['11112222', '22111111', '22222200', '11110000']
  const voices = [voice(0, 0, [0, 1]), voice(0, 1, [1, 0]), voice(3, 0, [1, 0])]
  expect(names(windows, voices)).toEqual([
    [1, 0],
    [0, 1],
    [nobody, 0],
    [0, nobody],
  ])
})

test('who speaks while nobody is known to is nobody', () => {
  expect(names(['11100000', '00001100', '00110000', '11000000'], [voice(0, 0, [1, 0])])[2]).toEqual([nobody, nobody])
})

test('without mean voices there is nobody', () => {
  const speakers = nameSpeakers({ masks: Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1), voices: [] }, grid(1), [])
  expect(new Set(speakers)).toEqual(new Set([nobody]))
})
