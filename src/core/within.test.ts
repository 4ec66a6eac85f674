import { expect, test } from 'bun:test'
import { unlessAborted, within } from './within.ts'

const never = new Promise<never>(() => undefined)

test('work that is done in time gives its result or its error', async () => {
  expect(await within(Promise.resolve(1), 60_000, () => 2)).toBe(1)
  await expect(within(Promise.reject(new Error('broken')), 60_000, () => 2)).rejects.toThrow('broken')
})

test('late work gives what is said for it, which may be an error', async () => {
  expect(await within(never, 1, () => 'late')).toBe('late')
  const refuse = () => {
    throw new Error('too slow')
  }
  await expect(within(never, 1, refuse)).rejects.toThrow('too slow')
})

test('work that fails after its time has failed for nobody', async () => {
  const work = Promise.withResolvers<number>()
  expect(await within(work.promise, 1, () => undefined)).toBeUndefined()
  work.reject(new Error('broken')) // an unhandled rejection would fail this test
  await expect(work.promise).rejects.toThrow('broken')
})

test('a signal ends the wait with its reason, also if it has aborted before', async () => {
  const stop = new AbortController()
  const waiting = unlessAborted(never, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await expect(unlessAborted(Promise.resolve(1), stop.signal)).rejects.toThrow('stopped')
  await expect(unlessAborted(Promise.reject(new Error('broken')), stop.signal)).rejects.toThrow('stopped')
  expect(await unlessAborted(Promise.resolve(1), new AbortController().signal)).toBe(1)
})
