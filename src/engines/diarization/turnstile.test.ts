import { expect, test } from 'bun:test'
import { Turnstile } from './turnstile.ts'

test('so many tasks run at a time, in order; more when the limit rises', async () => {
  const turnstile = new Turnstile(1)
  const begun: number[] = []
  const tasks = [0, 1, 2, 3].map((index) => ({ index, end: Promise.withResolvers<number>() }))
  const results = tasks.map(({ index, end }) =>
    turnstile.pass(() => {
      begun.push(index)
      return end.promise
    }),
  )
  await Promise.resolve()
  expect(begun).toEqual([0])
  tasks[0]?.end.resolve(10)
  expect(await results[0]).toBe(10)
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  turnstile.limit = 3
  await Promise.resolve()
  expect(begun).toEqual([0, 1, 2, 3])
  for (const { end } of tasks) end.resolve(11)
  expect(await Promise.all(results)).toEqual([10, 11, 11, 11])
})

test('a task that fails leaves its place to the next', async () => {
  const turnstile = new Turnstile(1)
  await expect(turnstile.pass(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await turnstile.pass(async () => 'fine')).toBe('fine')
})
