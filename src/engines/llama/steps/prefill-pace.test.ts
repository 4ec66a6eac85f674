import { expect, test } from 'bun:test'
import { PrefillPace } from './prefill-pace.ts'

test('uses the whole batch while nobody is generating', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 60_000)
  expect(pace.budget(0, 1)).toBe(512)
})

test('leaves room for the tokens of running answers', () => {
  expect(new PrefillPace(512).budget(12, 1)).toBe(500)
})

test('beside running answers takes only what a slow machine does in a moment', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 512 * 2)
  expect(pace.budget(4, 1)).toBe(100)
})

test('is not slowed down on a fast machine, and never below a useful batch on a slow one', () => {
  const fast = new PrefillPace(512)
  fast.observe(512, 10)
  expect(fast.budget(8, 1)).toBe(504)
  const slow = new PrefillPace(512)
  slow.observe(512, 512 * 100)
  expect(slow.budget(8, 1)).toBe(32)
})

test('steps without prompts teach nothing', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 512 * 2)
  pace.observe(1, 1000)
  expect(pace.budget(4, 1)).toBe(100)
})

test('takes more at a time when many wait for their first token and few read', () => {
  const pace = new PrefillPace(512)
  pace.observe(512, 512 * 2)
  expect(pace.budget(4, 1)).toBe(100)
  expect(pace.budget(4, 3)).toBe(300)
  expect(pace.budget(1, 12)).toBe(511)
})
