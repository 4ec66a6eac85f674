/** Races in a request's life; the model here computes when the test lets it. */
import { expect, test } from 'bun:test'
import { ApiError } from '../../../core/errors.ts'
import type { WorkEvent } from '../../../core/work.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import type { Row } from './batch-rows.ts'
import { encodingTexts, type TextWork } from './encode-texts.ts'

/** Inputs are given as numbers of tokens. */
function embed(...lengths: number[]): TextWork {
  return { kind: 'embed', request: { inputs: lengths.map(String) } }
}

function startLoop(lanes = 1, ahead = 0) {
  const events: RequestEvent<WorkEvent<TextWork['kind']>>[] = []
  /** Request ids of each message, and the number of running batches at that time. */
  const messages: { ids: number[]; running: number }[] = []
  const lines: string[] = []
  /** For each request, a function that returns whether its rows are still wanted. */
  const reading: (() => boolean)[] = []
  const batches: { lengths: number[]; answer: PromiseWithResolvers<undefined> }[] = []
  const clock = new StepClock()
  const engine = encodingTexts({
    limits: { tokens: 100, rows: 10 },
    ahead,
    clock,
    log: (line) => lines.push(line),
    model: {
      toRows: async ({ kind, request }, isWanted) => {
        reading.push(isWanted)
        if (kind !== 'embed') throw new ApiError('invalid_request', 'no', { code: 'invalid_value', param: 'input[0]' })
        return request.inputs.map((length) => ({ ids: new Int32Array(Number(length)), typeIds: undefined }))
      },
      compute: async (rows: readonly Row[]) => {
        const answer = Promise.withResolvers<undefined>()
        const lengths = rows.map(({ ids }) => ids.length)
        batches.push({ lengths, answer })
        await answer.promise
        return lengths.map((length) => Float32Array.of(length))
      },
      toResult: (_, computed) => ({ type: 'scores', values: Float32Array.from(computed, ([value]) => value ?? -1) }),
    },
  })
  const loop = new PartsLoop(engine, {
    ...{ lanes, threadsPerLane: 2, clock },
    emit: (items) => {
      events.push(...items)
      messages.push({ ids: items.map(({ id }) => id), running: batches.length })
    },
  })
  const of = (id: number) =>
    events
      .filter((event) => event.id === id)
      .map((event) => {
        if ('prepared' in event) return `prepared ${event.prepared.most.promptTokens}`
        if ('cancelled' in event) return `cancelled ${event.cancelled.promptTokens}`
        if ('error' in event) return `error ${event.error.code}`
        if (!('event' in event)) return 'other'
        if ('values' in event.event) return `computed ${[...event.event.values]}`
        return event.event.type === 'finish' ? `finish ${event.event.usage.promptTokens}` : event.event.type
      })
  return {
    loop,
    lines,
    messages,
    reading,
    batches,
    of,
    /** Adds and grants a request. */
    begin: async (id: number, request: TextWork, account = 'a') => {
      loop.add(id, account, request)
      await turn()
      loop.grant(id)
    },
    /** Ends a running batch, by default the oldest, with success or `failure`. Returns its row lengths. */
    end: async (failure?: Error, position = 0) => {
      const [batch] = batches.splice(position, 1)
      if (failure === undefined) batch?.answer.resolve(undefined)
      else batch?.answer.reject(failure)
      await turn()
      return batch?.lengths
    },
  }
}

const turn = () => new Promise(setImmediate)

test('a request is computed when it is paid for, and comes back in its own order', async () => {
  const { loop, batches, of, end } = startLoop()
  loop.add(1, 'a', embed(10, 40, 20))
  await turn()
  expect(of(1)).toEqual(['prepared 70'])
  expect(batches).toEqual([])
  loop.grant(1)
  loop.grant(1)
  expect(await end()).toEqual([40])
  expect(await end()).toEqual([20])
  expect(await end()).toEqual([10])
  expect(of(1)).toEqual(['prepared 70', 'start', 'computed 10,40,20', 'finish 70'])
  expect(loop.stats()).toMatchObject({ steps: 3, running: 0, waiting: 0, decodedPromptTokens: 70 })
})

test('who comes while a batch runs is in the next', async () => {
  const { begin, end, of } = startLoop()
  await begin(1, embed(30))
  await begin(2, embed(30), 'b')
  await begin(3, embed(30), 'c')
  expect(await end()).toEqual([30])
  expect(await end()).toEqual([30, 30])
  expect(of(3)).toEqual(['prepared 30', 'start', 'computed 30', 'finish 30'])
})

test('the answers of a batch leave in one message, when the next batch has begun', async () => {
  const { begin, end, messages } = startLoop()
  await begin(1, embed(30))
  await begin(2, embed(30))
  await begin(3, embed(30))
  await begin(4, embed(90))
  expect(await end()).toEqual([30])
  expect(await end()).toEqual([30, 30])
  expect(messages.slice(-2)).toEqual([
    { ids: [4], running: 0 },
    { ids: [2, 2, 3, 3], running: 1 },
  ])
})

test('a batch that is not full is not formed ahead: who comes meanwhile joins it', async () => {
  const { begin, end } = startLoop()
  await begin(1, embed(100))
  await begin(2, embed(60), 'b')
  await begin(3, embed(30), 'c')
  await end()
  await begin(4, embed(30), 'd')
  expect(await end()).toEqual([60])
  expect(await end()).toEqual([30, 30])
})

test('with two lanes two batches are computed at a time, and an answer waits for its last text', async () => {
  const { begin, end, of, batches } = startLoop(2)
  await begin(1, embed(90, 80))
  await begin(2, embed(70), 'b')
  expect(batches.map(({ lengths }) => lengths)).toEqual([[90], [80]])
  expect(await end(undefined, 1)).toEqual([80])
  expect(of(1)).toEqual(['prepared 170', 'start'])
  expect(await end()).toEqual([90])
  expect(of(1).slice(-2)).toEqual(['computed 90,80', 'finish 170'])
  expect(await end()).toEqual([70])
  expect(of(2).slice(-2)).toEqual(['computed 70', 'finish 70'])
})

test('a lane is given its next batch ahead when enough texts wait to make it worth while', async () => {
  const { begin, end, batches } = startLoop(1, 1)
  await begin(1, embed(90))
  await begin(2, embed(20))
  expect(batches.map(({ lengths }) => lengths)).toEqual([[90]])
  await begin(3, embed(20))
  expect(batches.map(({ lengths }) => lengths)).toEqual([[90], [20, 20]])
  await begin(4, embed(80))
  expect(batches).toHaveLength(2)
  await end()
  expect(batches.map(({ lengths }) => lengths)).toEqual([[20, 20], [80]])
})

test('with fewer threads fewer batches are computed at a time, from the next one on', async () => {
  const { loop, begin, end, batches } = startLoop(2)
  await begin(1, embed(90, 80, 70, 60))
  loop.useThreads(3)
  expect(loop.stats().threads).toBe(2)
  await end()
  expect(batches).toHaveLength(1)
  await end()
  expect(batches.at(-1)?.lengths).toEqual([70])
  loop.useThreads(64)
  expect(loop.stats().threads).toBe(4)
  expect(batches.at(-1)?.lengths).toEqual([60])
  // At least one batch is computed at a time.
  loop.useThreads(1)
  expect(loop.stats().threads).toBe(2)
})

test('who leaves while two of its batches run is told of both when both have ended', async () => {
  const { loop, begin, end, of } = startLoop(2)
  await begin(1, embed(90, 80, 70))
  loop.cancel(1)
  await end()
  expect(of(1)).toEqual(['prepared 240', 'start'])
  await end()
  expect(of(1).at(-1)).toBe('cancelled 170')
  expect(await end()).toBeUndefined()
})

test('a request that fails in one lane is over, whatever comes of the other', async () => {
  const { begin, end, of } = startLoop(2)
  await begin(1, embed(90, 80))
  await end(new Error('bad row'))
  expect(of(1)).toEqual(['prepared 170', 'start', 'error engine_failed'])
  await end()
  expect(of(1)).toHaveLength(3)
})

test('a refused request ends with its error and is never computed', async () => {
  const { loop, of, lines } = startLoop()
  loop.add(1, 'a', { kind: 'rerank', request: { query: '', documents: [''] } })
  await turn()
  loop.grant(1)
  expect(of(1)).toEqual(['error invalid_value'])
  expect(lines).toEqual([])
})

test('who leaves before the grant pays nothing', async () => {
  const { loop, of, batches } = startLoop()
  loop.add(1, 'a', embed(10))
  loop.cancel(1)
  expect(of(1)).toEqual(['cancelled 0'])
  await turn()
  loop.add(2, 'a', embed(10))
  await turn()
  loop.cancel(2)
  loop.grant(2)
  loop.cancel(2)
  expect(of(2)).toEqual(['prepared 10', 'cancelled 0'])
  expect(of(1)).toEqual(['cancelled 0'])
  expect(batches).toEqual([])
})

test('who leaves while waiting pays for what was begun, and the rest is not computed', async () => {
  const { loop, begin, of, end, batches } = startLoop()
  await begin(1, embed(90, 80, 70, 60))
  await end()
  loop.cancel(1)
  expect(of(1)).toEqual(['prepared 300', 'start'])
  expect(await end()).toEqual([80])
  expect(of(1)).toEqual(['prepared 300', 'start', 'cancelled 170'])
  expect(batches).toEqual([])
  expect(loop.stats().decodedPromptTokens).toBe(170)
})

test('a batch leaves out who has left since it could be full', async () => {
  const { loop, begin, end, of } = startLoop()
  await begin(1, embed(50))
  await begin(2, embed(50), 'b')
  await begin(3, embed(50), 'c')
  await end()
  await begin(4, embed(50), 'd')
  loop.cancel(3)
  expect(of(3)).toEqual(['prepared 50', 'start'])
  expect(await end()).toEqual([50, 50])
  expect(of(3)).toEqual(['prepared 50', 'start', 'cancelled 50'])
  await begin(5, embed(90))
  await begin(6, embed(90), 'b')
  await begin(7, embed(90), 'c')
  await end()
  loop.cancel(6)
  loop.cancel(7)
  await end()
  await end()
  expect([6, 7].map((id) => of(id).at(-1))).toContain('cancelled 0')
})

test('a batch that fails is tried in halves, and only the text at fault fails', async () => {
  const { begin, end, of, lines } = startLoop()
  await begin(1, embed(100))
  await begin(2, embed(20), 'b')
  await begin(3, embed(21), 'c')
  await begin(4, embed(22), 'd')
  await end()
  expect(await end(new Error('out of memory'))).toHaveLength(3)
  expect(await end()).toHaveLength(2)
  expect(await end(new Error('bad row'))).toHaveLength(1)
  expect([2, 3, 4].map((id) => of(id).at(-1)).sort()).toEqual(['error engine_failed', 'finish 20', 'finish 21'])
  expect(lines).toEqual(['request failed: Error: bad row'])
})

test('a request fails with one of its texts; the others are not computed, and the next request is', async () => {
  const { begin, end, of } = startLoop()
  await begin(1, embed(90, 80, 70))
  await begin(2, embed(95), 'b')
  await end(new Error('bad row'))
  expect(of(1).at(-1)).toBe('error engine_failed')
  expect(await end()).toEqual([95])
  expect(await end()).toBeUndefined()
  expect(of(2).slice(-2)).toEqual(['computed 95', 'finish 95'])
})

test('a queue without end helps nobody: an account may fill half of it, and others are still let in', async () => {
  const { loop, begin, of } = startLoop()
  await begin(1, embed(9_000_000), 'greedy')
  await begin(2, embed(16_000_000), 'greedy')
  await begin(3, embed(1_000_000), 'greedy')
  expect(of(3)).toEqual(['error overloaded'])
  await begin(4, embed(9_000_000), 'b')
  await begin(5, embed(7_000_000), 'b')
  await begin(6, embed(9_000_000), 'c')
  expect([4, 5, 6].map((id) => of(id)[0])).toEqual(['prepared 9000000', 'prepared 7000000', 'prepared 9000000'])
  await begin(7, embed(1_000), 'c')
  expect(of(7)).toEqual(['error overloaded'])
  expect(loop.stats()).toMatchObject({ running: 1, waiting: 4 })
})

test('texts of a request that has left are not read to their end', async () => {
  const { loop, reading, of } = startLoop()
  loop.add(1, 'a', embed(10))
  expect(reading[0]?.()).toBe(true)
  loop.cancel(1)
  expect(reading[0]?.()).toBe(false)
  expect(of(1)).toEqual(['cancelled 0'])
})
