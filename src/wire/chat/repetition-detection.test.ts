import { expect, test } from 'bun:test'
import { parseRepetitionDetection } from './repetition-detection.ts'

test('is on, off, or what the request says itself', () => {
  expect(parseRepetitionDetection(undefined)).toBeUndefined()
  expect(parseRepetitionDetection(true)).toBe('usual')
  expect(parseRepetitionDetection(false)).toBe('none')
  expect(parseRepetitionDetection({})).toBe('none')
  expect(parseRepetitionDetection({ max_pattern_size: 0, min_count: 5 })).toBe('none')
  expect(parseRepetitionDetection({ max_pattern_size: 20, min_pattern_size: 0, min_count: 3 })).toEqual({
    minPieceTokens: 1,
    maxPieceTokens: 20,
    minCount: 3,
    minTokens: 0,
  })
})

test.each<[value: unknown, param: string]>([
  ['yes', 'repetition_detection'],
  [[], 'repetition_detection'],
  [{ max_pattern_size: 1e9, min_count: 2 }, 'repetition_detection.max_pattern_size'],
  [{ max_pattern_size: 2, min_pattern_size: 3, min_count: 2 }, 'repetition_detection.min_pattern_size'],
  [{ max_pattern_size: 2, min_count: 1 }, 'repetition_detection.min_count'],
])('%j is refused with its place', (value, param) => {
  expect(() => parseRepetitionDetection(value)).toThrow(expect.objectContaining({ param, code: 'invalid_value' }))
})
