/** Races in requests' lives; runs end when the test lets them. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../core/errors.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import type { Job, PartsEngine } from './parts-job.ts'
import { PartsLoop } from './parts-loop.ts'
import { type Batching, oneByOne } from './waiting-parts.ts'

type Output = Extract<WorkEvent, { type: 'segment' }>
type ScriptedJob = Partial<Job<string, string, Output>>

const characters = (count: number): Consumption => ({ ...nothingConsumed, characters: count })
const said = (text: string): Output => ({ type: 'segment', text, startSeconds: 0, endSeconds: 1 })
const refusal = new ApiError('unavailable', 'full', { code: 'overloaded' })

/**
 * Starts a loop whose requests are lists of parts. A part costs as much as its name is long. `options` overrides the
 * engine.
 */
function start(options: { lanes?: number } & Partial<PartsEngine<ScriptedJob, string, string, Output>> = {}) {
  const { lanes = 1, ...different } = options
  const messages: RequestEvent<WorkEvent>[][] = []
  const runs: { readonly parts: readonly string[]; readonly end: PromiseWithResolvers<undefined>; failed: string[] }[] =
    []
  const lines: string[] = []
  const closed: number[] = []
  let begun = 0
  const engine: PartsEngine<ScriptedJob, string, string, Output> = {
    open: (job, { id, send }) => ({
      total: characters(100),
      partsOf: () => ({ parts: [], isLast: true }),
      accept: (result) => send([said(result)]),
      finish: () => [],
      consumed: (parts) => characters(parts.join('').length),
      close: () => void closed.push(id),
      ...job,
    }),
    compute: async (parts) => {
      begun++
      const run = { parts, end: Promise.withResolvers<undefined>(), failed: [] as string[] }
      runs.push(run)
      await run.end.promise
      return parts.map((part) =>
        run.failed.includes(part)
          ? { status: 'rejected', reason: new Error(`no ${part}`) }
          : { status: 'fulfilled', value: part.toUpperCase() },
      )
    },
    costOf: (part) => part.length,
    batching: oneByOne,
    startsWith: 'grant',
    toError: (thrown) => {
      lines.push(String(thrown))
      return new ApiError('engine', 'failed', { code: 'engine_failed' })
    },
    ...different,
  }
  const loop = new PartsLoop(engine, {
    lanes,
    threadsPerLane: 2,
    emit: (events) => messages.push(events as RequestEvent<WorkEvent>[]),
  })
  const all = (parts: string, more: ScriptedJob = {}): ScriptedJob => ({
    partsOf: () => ({ parts: parts === '' ? [] : parts.split(' '), isLast: true }),
    ...more,
  })
  return {
    loop,
    lines,
    closed,
    messages,
    /** Returns the parts of the running runs. */
    running: () => runs.map(({ parts }) => parts.join(' ')),
    begun: () => begun,
    all,
    add: (id: number, parts: string, { account = 'a', ...more }: ScriptedJob & { account?: string } = {}) => {
      loop.add(id, account, all(parts, more))
      loop.grant(id)
    },
    /** Ends the oldest run, or the one at the position. The parts named in `failed` fail. */
    end: async ({ at = 0, failed = '' } = {}) => {
      const [run] = runs.splice(at, 1)
      run?.failed.push(...failed.split(' '))
      run?.end.resolve(undefined)
      await turn()
    },
    of: (id: number) =>
      messages
        .flat()
        .filter((event) => event.id === id)
        .map(nameOf),
  }
}

function nameOf(event: RequestEvent<WorkEvent>): string {
  if ('prepared' in event) return `prepared ${event.prepared.most.characters}`
  if ('cancelled' in event) return `cancelled ${event.cancelled.characters}`
  if ('error' in event) return `error ${event.error.code}`
  if (!('event' in event)) return 'other'
  if (event.event.type === 'segment') return event.event.text
  return event.event.type === 'finish' ? `finish ${event.event.usage.characters}` : event.event.type
}

const turn = () => new Promise(setImmediate)

test('a request waits for its grant; its results come in the order of its parts', async () => {
  const { loop, all, of, running, end, closed } = start({ lanes: 3 })
  loop.add(1, 'a', all('one two three'))
  expect([of(1), running()]).toEqual([['prepared 100'], []])
  loop.grant(1)
  loop.grant(1)
  expect(running()).toEqual(['one', 'two', 'three'])
  await end({ at: 2 })
  await end({ at: 1 })
  expect(of(1)).toEqual(['prepared 100', 'start'])
  await end()
  expect(of(1).slice(2)).toEqual(['ONE', 'TWO', 'THREE', 'finish 100'])
  expect(closed).toEqual([1])
  expect(loop.stats()).toMatchObject({ steps: 3, running: 0, waiting: 0, threads: 6 })
})

test('a request without parts is finished at once', () => {
  const { add, of } = start()
  add(1, '', { finish: () => [said('silence')] })
  expect(of(1)).toEqual(['prepared 100', 'start', 'silence', 'finish 100'])
})

test('accounts and requests take turns by the cost of their parts', async () => {
  const { add, running, end } = start()
  add(1, 'aa aa aa')
  add(2, 'bb bb')
  add(3, 'x x x x', { account: 'b' })
  const order: string[] = []
  while (running().length > 0) {
    order.push(...running())
    await end()
  }
  expect(order).toEqual(['aa', 'x', 'aa', 'x', 'x', 'bb', 'x', 'aa', 'bb'])
})

test('who leaves pays for the parts that were begun when they are computed, and no more begin', async () => {
  const { loop, add, of, end, begun, closed } = start({ lanes: 2 })
  add(1, 'one three four five')
  loop.cancel(1)
  loop.cancel(1)
  await end()
  expect(of(1)).toEqual(['prepared 100', 'start'])
  await end({ failed: 'three' })
  expect(of(1).slice(2)).toEqual(['cancelled 8'])
  expect([begun(), closed]).toEqual([2, [1]])
})

test('who leaves before anything is begun pays nothing', () => {
  const { loop, add, all, of } = start()
  loop.add(1, 'a', all('one'))
  loop.cancel(1)
  loop.grant(1)
  expect(of(1)).toEqual(['prepared 100', 'cancelled 0'])
  add(2, 'running')
  add(3, 'waiting')
  loop.cancel(3)
  expect(of(3)).toEqual(['prepared 100', 'start', 'cancelled 0'])
})

test('who leaves while the request is read is told at once, and it is wanted no longer', async () => {
  const opened = Promise.withResolvers<Job<string, string, Output>>()
  const wanted: (() => boolean)[] = []
  const { loop, of, all } = start({
    open: (_, { isWanted }) => {
      wanted.push(isWanted)
      return opened.promise
    },
  })
  loop.add(1, 'a', all('one'))
  expect(wanted[0]?.()).toBe(true)
  loop.cancel(1)
  expect(wanted[0]?.()).toBe(false)
  opened.reject(new Error('nobody waits'))
  await turn()
  expect(of(1)).toEqual(['cancelled 0'])
})

test('a request that is read after its client has left is not prepared', async () => {
  const { loop, of } = start({
    open: async () => ({
      total: characters(1),
      partsOf: () => ({ parts: [], isLast: true }),
      accept: () => undefined,
      finish: () => [],
      consumed: () => nothingConsumed,
    }),
  })
  loop.add(1, 'a', {})
  loop.cancel(1)
  await turn()
  expect(of(1)).toEqual(['cancelled 0'])
})

/** Runs one at a time, each with the next part of every request. */
const together: Batching<string> = (turns, { runs }) => {
  if (runs > 0) return
  const taken = new Set()
  for (const { request, take } of turns()) {
    if (!taken.has(request)) take()
    taken.add(request)
  }
}

test('a part that fails ends its request once, and not the others of its run', async () => {
  const { add, of, end, running, lines } = start({ batching: together })
  add(1, 'first')
  add(2, 'one two')
  add(3, 'three', { account: 'b' })
  await end()
  expect(running()).toEqual(['one three'])
  await end({ failed: 'one' })
  expect(running()).toEqual([])
  expect(of(2)).toEqual(['prepared 100', 'start', 'error engine_failed'])
  expect(of(3)).toEqual(['prepared 100', 'start', 'THREE', 'finish 100'])
  expect(lines).toEqual(['Error: no one'])
})

test('a request that has failed is over, whatever comes of its other parts', async () => {
  const { add, of, end, begun } = start({ lanes: 2 })
  add(1, 'one two three')
  await end({ failed: 'one' })
  await end({ failed: 'two' })
  expect(of(1)).toEqual(['prepared 100', 'start', 'error engine_failed'])
  expect(begun()).toBe(2)
})

const thrown = new Error('broken')
test.each<[string, ScriptedJob]>([
  ['looks for parts', { partsOf: () => Promise.reject(thrown) }],
  [
    'looks for parts at once',
    {
      partsOf: () => {
        throw thrown
      },
    },
  ],
  [
    'accepts',
    {
      accept: () => {
        throw thrown
      },
    },
  ],
  ['accepts slowly', { accept: () => Promise.reject(thrown) }],
  [
    'finishes',
    {
      finish: () => {
        throw thrown
      },
    },
  ],
  ['finishes slowly', { finish: () => Promise.reject(thrown) }],
])('a request that fails while it %s ends with one error, and others go on', async (_, job) => {
  const { add, of, end, lines, closed } = start()
  add(1, 'one', job)
  await end()
  await turn()
  expect(of(1).filter((name) => name !== 'ONE')).toEqual(['prepared 100', 'start', 'error engine_failed'])
  expect([lines, closed]).toEqual([['Error: broken'], [1]])
  add(2, 'two')
  await end()
  expect(of(2).at(-1)).toBe('finish 100')
})

test('a refused request ends with its own error, and nobody is told why', () => {
  const { loop, of, lines } = start({
    open: () => {
      throw refusal
    },
  })
  loop.add(1, 'a', {})
  loop.grant(1)
  expect([of(1), lines]).toEqual([['error overloaded'], []])
})

test('free work needs no grant, and ends at once when it is cancelled', async () => {
  const { loop, add, all, of, end, running } = start()
  loop.add(1, 'a', { ...all('one two'), total: undefined, consumed: () => nothingConsumed })
  expect(of(1)).toEqual(['start'])
  loop.cancel(1)
  expect(of(1)).toEqual(['start', 'cancelled 0'])
  add(2, 'next')
  await end()
  expect(running()).toEqual(['next'])
  expect(of(1)).toHaveLength(2)
})

test('start is told with the first part, where the engine says so', async () => {
  const { add, loop, of, end } = start({ startsWith: 'part' })
  add(1, 'one', { account: 'b' })
  add(2, 'two three')
  expect([of(1), of(2)]).toEqual([['prepared 100', 'start'], ['prepared 100']])
  expect(loop.stats()).toMatchObject({ running: 1, waiting: 1 })
  await end()
  expect(of(2)).toEqual(['prepared 100', 'start'])
  await end()
  await end()
  expect(of(2).slice(2)).toEqual(['TWO', 'THREE', 'finish 100'])
})

test('parts are found a few ahead, each time as a step', async () => {
  let found = 0
  const partsOf = async () => ({ parts: found++ % 2 === 0 ? [] : [`p${found}`], isLast: found === 8 })
  const { add, loop, running, end, of } = start({ partsAhead: 1 })
  add(1, '', { partsOf })
  await turn()
  expect([found, running()]).toEqual([6, ['p2']])
  expect(loop.stats().steps).toBe(6 + 1)
  await end()
  expect([found, running()]).toEqual([8, ['p4']])
  for (let left = 0; left < 3; left++) await end()
  expect(of(1).slice(2)).toEqual(['P2', 'P4', 'P6', 'P8', 'finish 100'])
})

test('results are accepted one at a time, and parts do not run too far ahead of them', async () => {
  const accepting: PromiseWithResolvers<void>[] = []
  const accept = () => {
    const accepted = Promise.withResolvers<void>()
    accepting.push(accepted)
    return accepted.promise
  }
  const { add, running, end, of } = start({ lanes: 2, unacceptedLimit: 3 })
  add(1, 'one two three four five', { accept })
  for (let ended = 0; ended < 3; ended++) await end()
  expect([running(), accepting.length]).toEqual([[], 1])
  accepting[0]?.resolve()
  await turn()
  expect([running(), accepting.length]).toEqual([['four'], 2])
  for (const at of [1, 2]) {
    accepting[at]?.resolve()
    await turn()
  }
  for (const at of [3, 4]) {
    await end()
    accepting[at]?.resolve()
    await turn()
  }
  expect(of(1).slice(2)).toEqual(['finish 100'])
})

test('a cancelled request accepts and finishes nothing more', async () => {
  const finished = Promise.withResolvers<readonly Output[]>()
  const { loop, add, of, end } = start()
  add(1, 'one', { finish: () => finished.promise })
  await end()
  loop.cancel(1)
  finished.resolve([said('late')])
  await turn()
  expect(of(1)).toEqual(['prepared 100', 'start', 'ONE', 'cancelled 3'])
})

test('a paused request begins no part, is no work once none runs, and goes on', async () => {
  const { loop, add, running, end, of } = start()
  add(1, 'one two')
  loop.pause(1, true)
  loop.pause(9, true)
  expect(loop.stats()).toMatchObject({ running: 1, waiting: 0 })
  await end()
  expect(running()).toEqual([])
  expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
  loop.pause(1, false)
  expect(running()).toEqual(['two'])
  await end()
  expect(of(1).at(-1)).toBe('finish 100')
})

test('fewer threads are fewer runs, at least one', async () => {
  const counts: number[] = []
  const { loop, add, running, end } = start({ lanes: 3, useLanes: (lanes) => void counts.push(lanes) })
  loop.useThreads(0)
  add(1, 'one two three four')
  expect(running()).toEqual(['one'])
  loop.useThreads(99)
  expect(running()).toEqual(['one', 'two', 'three'])
  loop.useThreads(5)
  await end()
  expect(running()).toEqual(['two', 'three'])
  expect([counts, loop.stats().threads]).toEqual([[1, 3, 2], 4])
})

test('an account fills at most half of the room, and one with nothing in it is let in', () => {
  const room = { costLimit: 300, costOf: ({ characters }: Consumption) => characters, refusal: () => refusal }
  const { loop, add, all, of } = start({ room })
  add(1, 'one two')
  loop.add(2, 'a', all('one', { total: characters(60) }))
  expect(of(2)).toEqual(['error overloaded'])
  loop.add(3, 'a', all('one', { total: characters(50) }))
  loop.add(4, 'b', all('one', { total: characters(1000) }))
  loop.add(5, 'c', all('one', { total: characters(1) }))
  loop.add(6, 'c', all('one', { total: characters(1) }))
  expect([3, 4, 5, 6].map((id) => of(id)[0])).toEqual([
    'prepared 50',
    'prepared 1000',
    'prepared 1',
    'error overloaded',
  ])
  loop.cancel(4)
  loop.add(7, 'c', all('one', { total: characters(1) }))
  expect(of(7)).toEqual(['prepared 1'])
})

test('parts that were begun leave the room to others', async () => {
  const room = { costLimit: 10, costOf: ({ characters }: Consumption) => characters, refusal: () => refusal }
  const { loop, add, all, of, end } = start({ room })
  add(1, 'abcd efg', { total: characters(7) })
  loop.add(2, 'a', all('x', { total: characters(4) }))
  expect(of(2)).toEqual(['error overloaded'])
  await end()
  loop.add(3, 'a', all('x', { total: characters(4) }))
  expect(of(3)).toEqual(['prepared 4'])
})

test('a policy may count the cost of what is computed and of what waits', async () => {
  const batching: Batching<string> = (turns, { runningCost, waitingCost }) => {
    if (runningCost < 4 && waitingCost < 7) turns().next().value?.take()
  }
  const { add, running, end } = start({ batching })
  add(1, 'one two')
  expect(running()).toEqual(['one', 'two'])
  add(2, 'abc')
  expect(running()).toEqual(['one', 'two'])
  await end()
  expect(running()).toEqual(['two', 'abc'])
  const full = start({ batching })
  full.add(1, 'one two x')
  expect(full.running()).toEqual([])
})

test('the last events of a run leave in one message, when the next run has begun', async () => {
  const { add, end, messages, running } = start({ batching: together, startsWith: 'part' })
  add(1, 'first')
  add(2, 'one', { accept: () => undefined })
  add(3, 'two', { accept: () => undefined })
  await end()
  add(4, 'last')
  messages.length = 0
  await end()
  expect(messages.map((events) => events.map(({ id }) => id))).toEqual([[4], [2, 3]])
  expect(running()).toEqual(['last'])
})

test('whatever comes, goes and fails: every request ends once, and pays for the parts that were begun', async () => {
  const step = fc.oneof(
    fc.record({
      add: fc.array(fc.constantFrom('a', 'bb', 'ccc'), { maxLength: 4 }),
      account: fc.constantFrom('x', 'y'),
    }),
    fc.record({ cancel: fc.nat(9) }),
    fc.record({ end: fc.nat(2), failed: fc.constantFrom('', '', 'bb') }),
    fc.record({ pause: fc.nat(9), isPaused: fc.boolean() }),
    fc.record({ threads: fc.nat(6) }),
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const started = start({ lanes: 3 })
    const { loop, add, running, end, of } = started
    let last = 0
    for (const each of steps) {
      if ('add' in each) add(++last, each.add.join(' '), { account: each.account })
      else if ('cancel' in each) loop.cancel(each.cancel)
      else if ('pause' in each) loop.pause(each.pause, each.isPaused)
      else if ('threads' in each) loop.useThreads(each.threads)
      else await end({ at: each.end, failed: each.failed })
      expect(running().length).toBeLessThanOrEqual(3)
    }
    for (let id = 1; id <= last; id++) loop.pause(id, false)
    while (running().length > 0) await end()
    for (let id = 1; id <= last; id++) {
      expect(of(id).filter((name) => /^(finish|cancelled|error)/.test(name))).toHaveLength(1)
    }
    expect(loop.stats()).toMatchObject({ running: 0, waiting: 0, steps: started.begun() })
  })
  await fc.assert(property)
})
