/** Moments between two steps that are too short with real decoding; the test ends each step. */
import { expect, test } from 'bun:test'
import { startHeldLoop } from '../../../testing/held-loop.ts'

test('a request cancelled while the cache ran full is never decoded again', async () => {
  const { loop, add, end, steps, emitted } = startHeldLoop()
  add(1, [10, 11, 12])
  add(2, [20, 21])
  await end({ kind: 'ok', samples: [[{ token: 30, text: 'a' }]] })
  expect([...(steps[1]?.batch.tokens ?? [])]).toEqual([30, 20, 21])
  loop.cancel(2)
  await end({ kind: 'cache-full' })
  expect([...(steps[2]?.batch.tokens ?? [])]).toEqual([30])
  await end({ kind: 'ok', samples: [[{ token: 31, text: '', end: 'end-of-generation' }]] })
  expect(steps).toHaveLength(3)
  expect(emitted.at(-1)).toMatchObject({ id: 1, event: { type: 'finish' } })
  expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
})

test('another number of threads counts from the next step on', async () => {
  const { loop, add, goOn, steps } = startHeldLoop()
  add(1, [10, 11, 12])
  loop.useThreads(2)
  expect(loop.stats().threads).toBe(2)
  await goOn(2)
  expect(steps.map(({ threads }) => threads)).toEqual([4, 2, 2])
})

test('what steps cost is learned for each number of threads', async () => {
  const held = startHeldLoop({ batchTokens: 512 })
  held.add(1, [10])
  held.passMs(1000)
  await held.goOn()
  held.add(2, new Array<number>(500).fill(11))
  await held.goOn()
  const rows = () => held.steps.at(-1)?.batch.sequences.length
  // A prompt token took a second, so the next piece beside the answer is the shortest.
  expect(rows()).toBe(33)
  held.loop.useThreads(8)
  await held.goOn()
  // The cost with eight threads is still unknown.
  expect(rows()).toBe(65)
})

test('the text of a step is read and sent while the next step runs', async () => {
  const began: number[] = []
  const held = startHeldLoop({
    onEvent: (told) => {
      if ('event' in told && told.event.type === 'text-delta') began.push(held.steps.length)
    },
  })
  held.add(1, [10, 11, 12])
  await held.end({ kind: 'ok', samples: [[{ token: 30, text: 'a' }]] })
  await held.end({ kind: 'ok', samples: [[{ token: 31, text: 'b' }]] })
  expect(began).toEqual([2, 3])
  // The last step has no next one.
  await held.end({ kind: 'ok', samples: [[{ token: 32, text: 'c', end: 'end-of-generation' }]] })
  expect(began).toEqual([2, 3, 3])
})

test('an answer that its text ends counts nothing of the step that runs meanwhile, and its slot serves the next request', async () => {
  const { loop, add, end, steps, emitted } = startHeldLoop({ sequences: 1 })
  add(1, [10, 11, 12], undefined, 1, 'a', ['stop'])
  add(2, [20, 21], undefined, 1, 'a')
  await end({ kind: 'ok', samples: [[{ token: 30, text: 'please stop' }]] })
  const [choice, finish] = emitted.slice(-2)
  expect(choice).toMatchObject({ id: 1, event: { type: 'choice-finish', reason: 'stop', stopString: 'stop' } })
  expect(finish).toMatchObject({ id: 1, event: { type: 'finish', usage: { completionTokens: 1 } } })
  expect([...(steps[1]?.batch.tokens ?? [])]).toEqual([30])
  const told = emitted.length
  await end({ kind: 'ok', samples: [[{ token: 31, text: ' never seen' }]] })
  expect(emitted.slice(told).filter(({ id }) => id === 1)).toEqual([])
  expect([...(steps[2]?.batch.tokens ?? [])]).toEqual([20, 21])
  expect(loop.stats()).toMatchObject({ generatedTokens: 1, running: 1, waiting: 0 })
})
