import { expect, test } from 'bun:test'
import { type TurnLimits, Turns } from './turns.ts'

const never = new AbortController().signal

/** Takes turns by name, and records which have begun. */
function turnsOf(limits: TurnLimits) {
  const turns = new Turns(limits)
  const begun: string[] = []
  const take = async (name: string, { account = name, cost = 1, signal = never } = {}) => {
    const turn = await turns.take(account, cost, signal)
    begun.push(name)
    return turn
  }
  return { begun, take }
}

test('as many as the limit begin at once, each other when one ends', async () => {
  const { begun, take } = turnsOf({ all: 2 })
  const [first, second] = await Promise.all([take('1'), take('2')])
  const third = take('3')
  const fourth = take('4')
  expect(begun).toEqual(['1', '2'])
  second[Symbol.dispose]()
  using _third = await third
  expect(begun).toEqual(['1', '2', '3'])
  first[Symbol.dispose]()
  using _fourth = await fourth
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('an account with one short work does not wait for all of another one', async () => {
  const { begun, take } = turnsOf({ all: 1 })
  const running = await take('running')
  const many = ['1', '2', '3'].map((name) => take(name, { account: 'many', cost: 10 }))
  const single = take('single')
  running[Symbol.dispose]()
  using _single = await single
  expect(begun).toEqual(['running', 'single'])
  _single[Symbol.dispose]()
  for (const each of many) (await each)[Symbol.dispose]()
})

test('who is aborted leaves the queue and holds nobody up', async () => {
  const { begun, take } = turnsOf({ all: 1 })
  const running = await take('running')
  const controller = new AbortController()
  const aborted = take('aborted', { signal: controller.signal })
  const next = take('next')
  controller.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  await expect(take('late', { signal: controller.signal })).rejects.toThrow('gone')
  running[Symbol.dispose]()
  using _next = await next
  expect(begun).toEqual(['running', 'next'])
})

test('an account has no more than its own limit, while others have the rest', async () => {
  const { begun, take } = turnsOf({ all: 3, ofAccount: 2 })
  const greedy = ['1', '2', '3'].map((name) => take(name, { account: 'greedy' }))
  const other = take('other')
  using _first = await greedy[0]
  using _second = await greedy[1]
  using _other = await other
  expect(begun).toEqual(['1', '2', 'other'])
  _other[Symbol.dispose]()
  expect(begun).toEqual(['1', '2', 'other'])
  _second?.[Symbol.dispose]()
  using _third = await greedy[2]
  expect(begun).toEqual(['1', '2', 'other', '3'])
})

test('a free turn is taken at once, within the limit of the account', async () => {
  const turns = new Turns({ all: 2, ofAccount: 1 })
  using first = turns.takeFree('a')
  expect([first === undefined, turns.takeFree('a')]).toEqual([false, undefined])
  {
    using second = turns.takeFree('b')
    expect([second === undefined, turns.takeFree('c')]).toEqual([false, undefined])
    expect(turns.waiting).toBe(0)
  }
  using third = turns.takeFree('c')
  expect(third).toBeDefined()
})
