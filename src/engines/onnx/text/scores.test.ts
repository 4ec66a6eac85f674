import { expect, test } from 'bun:test'
import { scoreRows } from './scores.ts'

const plain = { activation: 'none', padding: 'right', answerIds: undefined } as const

test.each([
  ['one number a pair', [3, 1]],
  ['only numbers', [3]],
])('%s is the score', (_, shape) => {
  const tensor = { shape, data: Float32Array.of(-2, 0, 2) }
  expect([...scoreRows(tensor, [5, 5, 5], plain)]).toEqual([-2, 0, 2])
})

test('a raw score becomes a probability', () => {
  const tensor = { shape: [3, 1], data: Float32Array.of(-1000, 0, Math.log(3)) }
  expect([...scoreRows(tensor, [5, 5, 5], { ...plain, activation: 'sigmoid' })]).toEqual([0, 0.5, 0.75])
})

test('the answer to a question is looked up behind the last token, wherever the pair is padded', () => {
  const answerIds = { yes: 1, no: 2 }
  const none = [0, 9, 9, 0]
  const yes = [0, Math.log(3), 0, 50]
  const no = [0, 0, Math.log(3), 50]
  const right = { shape: [2, 2, 4], data: Float32Array.of(...none, ...yes, ...no, ...none) }
  expect([...scoreRows(right, [2, 1], { ...plain, answerIds })]).toEqual([0.75, 0.25])
  const left = { shape: [2, 2, 4], data: Float32Array.of(...none, ...yes, ...none, ...no) }
  expect([...scoreRows(left, [2, 1], { ...plain, padding: 'left', answerIds })]).toEqual([0.75, 0.25])
  const lastOnly = { shape: [2, 4], data: Float32Array.of(...yes, ...no) }
  expect([...scoreRows(lastOnly, [2, 1], { ...plain, answerIds })]).toEqual([0.75, 0.25])
})

test.each([[[2, 2]], [[1, 1]], [[]]])('an output of shape %j has no scores for three pairs', (shape) => {
  const tensor = { shape, data: new Float32Array(shape.reduce((size, one) => size * one, 1)) }
  expect(() => scoreRows(tensor, [5, 5, 5], plain)).toThrow('holds no score')
})
