import { expect, test } from 'bun:test'
import { type Batching, oneByOne, type PartsRequest, WaitingParts } from './waiting-parts.ts'

interface Request extends PartsRequest<number> {
  readonly name: string
  isPaused?: boolean
}

function request(name: string, accountId: string): Request {
  return { name, accountId, waiting: [], passedOver: 0 }
}

/** Waiting parts that are numbers, and cost their own value. */
function start({ isUnordered = false } = {}) {
  const waiting = new WaitingParts<number, Request>({
    costOf: (part) => part,
    isUnordered,
    mayBegin: ({ isPaused }) => isPaused !== true,
  })
  const add = (name: string, accountId: string, parts: readonly number[]) => {
    const added = request(name, accountId)
    waiting.add(
      added,
      parts.map((part, index) => ({ part, index })),
    )
    return added
  }
  const run = (batching: Batching<number> = oneByOne) => waiting.take(batching, { runs: 0, lanes: 1, runningCost: 0 })
  return {
    waiting,
    add,
    run,
    /** Returns the request names of the next runs' parts, joined. */
    take: (count: number, batching?: Batching<number>) =>
      Array.from({ length: count }, () => run(batching).map(({ request }) => request.name))
        .flat()
        .join(''),
  }
}

const ones = (count: number) => Array<number>(count).fill(1)

test('accounts take turns, and so do the requests of one account', () => {
  const { add, take } = start()
  add('a', 'first', ones(9))
  add('b', 'first', ones(9))
  add('x', 'second', ones(9))
  expect(take(8)).toBe('axbxaxbx')
})

test('who comes later does not wait for what others had, and does not take it back', () => {
  const { add, take } = start()
  add('a', 'first', ones(200))
  take(100)
  add('x', 'second', ones(9))
  add('b', 'first', ones(9))
  expect(take(6)).toBe('axbxax')
})

test('shares are measured by cost, and a cheap part comes soon', () => {
  const { add, take } = start()
  add('a', 'first', [30, 30, 30])
  add('x', 'second', ones(90))
  expect(take(30)).toBe(`${'x'.repeat(29)}a`)
  expect(take(62).match(/a/g)).toHaveLength(2)
})

test('parts of a request come in their order, and know their places', () => {
  const { add, run, waiting } = start()
  add('a', 'first', [5, 3, 4])
  const taken = [run(), run(), run(), run()].flat()
  expect(taken.map(({ part, index }) => [part, index])).toEqual([
    [5, 0],
    [3, 1],
    [4, 2],
  ])
  expect(waiting.cost).toBe(0)
})

test('what is removed has no more turns and costs nothing', () => {
  const { add, take, waiting } = start()
  const first = add('a', 'first', ones(3))
  add('x', 'second', ones(3))
  waiting.remove(first)
  waiting.remove(first)
  expect(waiting.cost).toBe(3)
  expect(take(4)).toBe('xxx')
})

test('who has left takes no share: time goes on for those who wait', () => {
  const { add, take, waiting } = start()
  add('a', 'first', ones(50))
  waiting.remove(add('x', 'second', ones(50)))
  add('y', 'third', ones(1))
  expect(take(21)).toBe(`ay${'a'.repeat(19)}`)
  add('z', 'fourth', ones(50))
  expect(take(9).match(/a/g)?.length).toBeWithin(4, 6)
})

test('each part counts as much as it costs, whatever the one before cost', () => {
  const { add, take } = start()
  add('a', 'first', [1, 30])
  add('x', 'second', ones(40))
  expect(take(32)).toBe(`a${'x'.repeat(30)}a`)
})

test('a paused request leaves its turns to others, and takes at most half of them back later', () => {
  const { add, take } = start()
  const first = add('a', 'first', ones(50))
  add('x', 'second', ones(50))
  first.isPaused = true
  expect(take(20)).toBe('x'.repeat(20))
  first.isPaused = false
  expect(take(16).match(/x/g)?.length).toBeWithin(2, 9)
})

test('a part that is added later has its turn', () => {
  const { add, take, waiting } = start()
  const first = add('a', 'first', ones(1))
  expect(take(2)).toBe('a')
  waiting.add(first, [{ part: 1, index: 1 }])
  waiting.add(first, [{ part: 1, index: 2 }])
  add('b', 'first', ones(2))
  expect(take(5)).toBe('abab')
})

test('a policy takes several parts for one run, in turns, and passes requests over', () => {
  const { add, run, take } = start({ isUnordered: true })
  add('a', 'first', [7, 2, 2])
  add('b', 'first', [9])
  add('x', 'second', [2, 2])
  const twos: Batching<number> = (turns) => {
    for (const { request, take } of turns()) {
      const at = request.waiting.findIndex(({ part }) => part === 2)
      if (at >= 0) take(at)
    }
  }
  expect(run(twos).map(({ request, index }) => `${request.name}${index}`)).toEqual(['a1', 'x0', 'a2', 'x1'])
  expect(take(2)).toBe('ba')
})

test('an urgent request comes first, unless its account is too far ahead', () => {
  const { add, take } = start({ isUnordered: true })
  add('a', 'first', ones(50))
  add('x', 'second', ones(50))
  const urgent =
    (lead: number): Batching<number> =>
    (turns) => {
      turns({ isUrgent: (request) => (request as Request).name === 'x', lead })
        .next()
        .value?.take()
    }
  expect(take(4, urgent(3))).toBe('xxxx')
  expect(take(2, urgent(3))).toBe('ax')
})
