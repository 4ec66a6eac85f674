import { expect, test } from 'bun:test'
import { eachOf } from './each-of.ts'

test('results come in the order of the items, so many at a time', async () => {
  let running = 0
  let highest = 0
  const results = await eachOf([3, 1, 2], 2, async (turns) => {
    highest = Math.max(highest, ++running)
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    running--
    return turns * 10
  })
  expect(results).toEqual([30, 10, 20])
  expect(highest).toBe(2)
})

test('after a failure no more are begun, and those that run are waited for', async () => {
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const work = eachOf(['slow', 'bad', 'next'], 2, async (item) => {
    seen.push(item)
    if (item === 'bad') throw new Error('bad')
    await first.promise
    seen.push(`${item} ended`)
  })
  first.resolve()
  await expect(work).rejects.toThrow('bad')
  expect(seen).toEqual(['slow', 'bad', 'slow ended'])
})
