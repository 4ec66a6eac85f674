import { expect, test } from 'bun:test'
import { toNano, toUsd } from './money-text.ts'

test('amounts are exact beyond what a number holds', () => {
  const sum = (toNano('9007199254.740993001') ?? 0n) + (toNano('0.000000001') ?? 0n)
  expect(toUsd(sum)).toBe('9007199254.740993002')
  expect(toUsd(toNano('-0.5') ?? 0n)).toBe('-0.500000000')
})

test('what is no amount has none', () => {
  expect(['', '1,5', '1e3', '0.0000000001', 'ten', '--1'].map(toNano)).toEqual(Array(6).fill(undefined))
})
