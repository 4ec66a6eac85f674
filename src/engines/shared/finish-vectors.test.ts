import { expect, test } from 'bun:test'
import { finishVector } from './finish-vectors.ts'

test('vectors are cut first and then scaled', () => {
  expect([...finishVector(Float32Array.of(3, 4, 12), 3, true)].map((value) => value * 13)).toEqual([
    expect.closeTo(3, 5),
    expect.closeTo(4, 5),
    expect.closeTo(12, 5),
  ])
  expect([...finishVector(Float32Array.of(3, 4, 12), 2, true)]).toEqual([Math.fround(0.6), Math.fround(0.8)])
  expect([...finishVector(Float32Array.of(3, 4, 12), 2, false)]).toEqual([3, 4])
  expect([...finishVector(Float32Array.of(0, 0), 2, true)]).toEqual([0, 0])
})

test('a vector that was finished stays as it is', () => {
  for (let seed = 1; seed < 200; seed++) {
    const vector = Float32Array.from({ length: 16 }, (_, at) => Math.sin(seed * (at + 1)))
    const once = finishVector(vector, 16, true)
    expect([...finishVector(once, 16, true)]).toEqual([...once])
  }
})
