import { expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { BodyMemory, type HeldBody } from './body-memory.ts'

function memory(options: Partial<ConstructorParameters<typeof BodyMemory>[0]> = {}) {
  return new BodyMemory({
    budgetBytes: 100,
    accountBytes: 100,
    freeBytes: 10,
    patienceMs: 60_000,
    accountBodies: 10,
    ...options,
  })
}

/** Requests bytes. `isHeld` of the result turns true once they are granted. */
function ask(body: HeldBody, bytes: number) {
  const asked = { isHeld: false }
  const waiting = body.hold(bytes)
  if (waiting === undefined) asked.isHeld = true
  else void waiting.then(() => (asked.isHeld = true))
  return asked
}

test('small bodies never wait', () => {
  const bodies = memory()
  ask(bodies.open('a'), 200)
  expect(ask(bodies.open('b'), 10).isHeld).toBe(true)
})

test('beyond the budget bodies wait until another one gives its part back', async () => {
  const bodies = memory()
  const [first, second, third] = [bodies.open('a'), bodies.open('b'), bodies.open('c')]
  expect(ask(first, 110).isHeld).toBe(true)
  // One body may exceed the budget.
  const beyond = ask(second, 50)
  const waits = ask(third, 50)
  await Promise.resolve()
  expect([beyond.isHeld, waits.isHeld]).toEqual([true, false])
  second.release()
  await Promise.resolve()
  expect(waits.isHeld).toBe(true)
})

test('bodies that hold a part each do not wait for each other', async () => {
  const bodies = memory({ freeBytes: 0 })
  const open = ['a', 'b', 'c'].map((account) => bodies.open(account))
  for (const body of open) ask(body, 40)
  const rest = open.map((body) => ask(body, 40))
  await Promise.resolve()
  expect(rest.filter(({ isHeld }) => isHeld)).toHaveLength(1)
  for (const { isHeld } of rest) if (isHeld) open[rest.findIndex((asked) => asked.isHeld)]?.release()
  await Promise.resolve()
  expect(rest.filter(({ isHeld }) => isHeld).length).toBeGreaterThan(1)
})

test('the body that may go beyond the budget never waits for another one of its account', async () => {
  const bodies = memory({ accountBytes: 40, freeBytes: 0 })
  const [early, first, second, other] = [bodies.open('b'), bodies.open('a'), bodies.open('a'), bodies.open('b')]
  ask(early, 90)
  ask(first, 30)
  ask(first, 30) // beyond the budget
  early.release()
  ask(second, 10) // beyond the account's part
  ask(other, 50)
  const [blocked, waits, goes] = [ask(other, 10), ask(second, 10), ask(first, 10)]
  await Promise.resolve()
  expect([blocked.isHeld, waits.isHeld, goes.isHeld]).toEqual([false, false, true])
  first.release()
  await Promise.resolve()
  expect([blocked.isHeld, waits.isHeld]).toEqual([true, true])
})

test('an account does not fill the memory of the others', async () => {
  const bodies = memory({ accountBytes: 30, freeBytes: 0 })
  const greedy = Array.from({ length: 5 }, () => ask(bodies.open('greedy'), 30))
  await Promise.resolve()
  expect(greedy.map(({ isHeld }) => isHeld)).toEqual([true, true, false, false, false])
  expect(ask(bodies.open('other'), 30).isHeld).toBe(true)
})

test('a body that is released while it waits takes no turn', async () => {
  const bodies = memory({ freeBytes: 0 })
  const [full, beyond, gone, last] = ['a', 'b', 'c', 'd'].map((account) => bodies.open(account))
  for (const body of [full, beyond]) if (body !== undefined) ask(body, 100)
  if (gone === undefined || last === undefined) throw new Error('four bodies were opened')
  const never = ask(gone, 10)
  const next = ask(last, 10)
  gone.release()
  beyond?.release()
  await Promise.resolve()
  expect([never.isHeld, next.isHeld]).toEqual([false, true])
})

test('an account has only so many bodies open', () => {
  const bodies = memory({ accountBodies: 2 })
  const first = bodies.open('a')
  bodies.open('a')
  expect(() => bodies.open('a')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  bodies.open('b')
  first.release()
  bodies.open('a')
})

test('a body that holds memory and does not arrive is evicted for one that waits', async () => {
  const bodies = memory({ patienceMs: 1 })
  const [first, stalled, waiting] = [bodies.open('a'), bodies.open('b'), bodies.open('c')]
  for (const body of [first, stalled]) await body.hold(110)
  first.received()
  const isHeld = waiting.hold(50)
  expect(await stalled.evicted.catch(String)).toContain('arrived too slowly')
  stalled.release()
  await isHeld
})

test('a body that waits or is being parsed is not evicted', async () => {
  const bodies = memory({ patienceMs: 1 })
  const [parsed, beyond, waiting, last] = ['a', 'b', 'c', 'd'].map((account) => bodies.open(account))
  if (parsed === undefined || beyond === undefined || waiting === undefined || last === undefined) throw new Error()
  const evicted: string[] = []
  for (const [name, body] of Object.entries({ parsed, waiting, last })) {
    body.evicted.catch(() => evicted.push(name))
  }
  for (const body of [parsed, beyond]) await body.hold(110)
  parsed.received()
  void waiting.hold(50)
  void last.hold(50)
  await beyond.evicted.catch(() => undefined)
  expect(evicted).toEqual([])
})

test('one body at a time is evicted, however many wait', async () => {
  const bodies = memory({ budgetBytes: 200, patienceMs: 50 })
  let evictions = 0
  const stalled = ['a', 'b', 'c'].map((account) => bodies.open(account))
  for (const body of stalled) {
    await body.hold(110)
    body.evicted.catch(() => {
      evictions++
      body.release()
    })
  }
  for (const account of ['d', 'e', 'f']) void bodies.open(account).hold(50)
  await Promise.race(stalled.map(({ evicted }) => evicted.catch(() => undefined)))
  await setImmediate()
  expect(evictions).toBe(1)
})
