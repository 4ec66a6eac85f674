import { expect, test } from 'bun:test'
import { PrefillPace } from './prefill-pace.ts'

test('uses the whole batch while nobody is generating', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 60_000)
  expect(pace.budget(0)).toBe(512)
})

test('leaves room for the tokens of running answers', () => {
  expect(new PrefillPace(512).budget(12)).toBe(500)
})

test('beside running answers takes only what a slow machine does in a moment', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 512 * 2)
  expect(pace.budget(1)).toBe(75)
})

test('is not slowed down on a fast machine, and never below a useful batch on a slow one', () => {
  const fast = new PrefillPace(512)
  fast.observe(512, 10)
  expect(fast.budget(8)).toBe(504)
  const slow = new PrefillPace(512)
  slow.observe(512, 512 * 100)
  expect(slow.budget(8)).toBe(32)
})

test('steps without prompts teach nothing', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 512 * 2)
  pace.observe(1, 1000)
  expect(pace.budget(1)).toBe(75)
})
