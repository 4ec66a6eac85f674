import { expect, test } from 'bun:test'
import { WaitLimit } from './wait-limit.ts'

const never = () => new Promise<never>(() => undefined)

test('only the time that is waited counts, in one wait or in many', async () => {
  const limit = new WaitLimit()
  const over = Promise.withResolvers<number>()
  const beganMs = performance.now()
  limit.begin(100, () => over.resolve(performance.now() - beganMs))
  for (let count = 0; count < 3; count++) {
    await limit.wait(Bun.sleep(20))
    await Bun.sleep(40)
  }
  limit.wait(never()).catch(() => undefined)
  expect(await over.promise).toBeGreaterThanOrEqual(100 + 2 * 40)
})

test('progress begins the time anew', async () => {
  const limit = new WaitLimit()
  let isOver = false
  limit.begin(60, () => {
    isOver = true
  })
  for (let count = 0; count < 5; count++) {
    await limit.wait(Bun.sleep(30))
    limit.progress()
  }
  expect(isOver).toBe(false)
  limit.end()
})

test('a limit that begins while something is waited for holds from then on', async () => {
  const limit = new WaitLimit()
  const over = Promise.withResolvers<string>()
  limit.begin(10_000, () => over.resolve('first'))
  limit.wait(never()).catch(() => undefined)
  limit.begin(10, () => over.resolve('second'))
  expect(await over.promise).toBe('second')
})

test('a limit of months is no limit of a moment', async () => {
  const limit = new WaitLimit()
  let isOver = false
  limit.begin(90 * 86_400_000, () => {
    isOver = true
  })
  await limit.wait(Bun.sleep(20))
  expect(isOver).toBe(false)
  limit.end()
})
