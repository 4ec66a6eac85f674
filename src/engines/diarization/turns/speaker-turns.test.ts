import { expect, test } from 'bun:test'
import { windowGrid } from '../windows/window-grid.ts'
import { speakerTurns, type TurnRules } from './speaker-turns.ts'

/** Frames of a tenth of a second, without overlap. */
const grid = windowGrid(
  { windowSamples: 160_000, windowFrames: 100, frameShiftSamples: 1600, frameFieldSamples: 1600 },
  160_000,
)

function turns(frames: string, rules: Partial<TurnRules> = {}): string {
  const numbers = Int16Array.from(frames, (frame) => (frame === '.' ? -1 : frame.charCodeAt(0) - 97))
  const found = speakerTurns(numbers, grid, { pauseSeconds: 0, shortestSeconds: 0, ...rules })
  return found
    .map(({ speaker, startSeconds, endSeconds }) => `${speaker} ${startSeconds.toFixed(1)}-${endSeconds.toFixed(1)}`)
    .join(', ')
}

test('turns do not overlap, and speakers are numbered as they are first heard', () => {
  expect(turns('..ccc.aacc')).toBe('0 0.2-0.5, 1 0.6-0.8, 0 0.8-1.0')
})

test('who pauses shortly goes on, unless another speaks meanwhile', () => {
  expect(turns('aa..aa...aa', { pauseSeconds: 0.25 })).toBe('0 0.0-0.6, 0 0.9-1.1')
  expect(turns('aa.b.aa', { pauseSeconds: 0.5 })).toBe('0 0.0-0.2, 1 0.3-0.4, 0 0.5-0.7')
})

test('who speaks too shortly has not spoken, and has no number', () => {
  expect(turns('b.aaa.b.aaa', { shortestSeconds: 0.2 })).toBe('0 0.2-0.5, 0 0.8-1.1')
  expect(turns('aaa.b.aaa', { shortestSeconds: 0.2, pauseSeconds: 0.4 })).toBe('0 0.0-0.9')
  expect(turns('a.a', { shortestSeconds: 0.2, pauseSeconds: 0.4 })).toBe('0 0.0-0.3')
})

test('nobody speaks in silence', () => {
  expect(turns('....')).toBe('')
  expect(turns('')).toBe('')
})
