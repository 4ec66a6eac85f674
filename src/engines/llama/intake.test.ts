import { expect, test } from 'bun:test'
import { Intake, type IntakeOptions } from './intake.ts'

/** Preparations that end when the test decides. A word behind a request names its lane. */
function scripted() {
  const log: string[] = []
  const pending = new Map<string, PromiseWithResolvers<() => void>>()
  const preparationOf = (request: string) =>
    pending.getOrInsertComputed(request, () => Promise.withResolvers<() => void>())
  const options: IntakeOptions<string> = {
    laneOf: (request) => request.slice(3),
    prepare: ({ request }, signal) => {
      log.push(`prepare ${request}`)
      signal.addEventListener('abort', () => log.push(`abort ${request}`))
      return preparationOf(request).promise
    },
    onRefused: (id, error) => log.push(`refused ${id}: ${error}`),
  }
  const intake = new Intake(options)
  const add = (id: number, request: string) => intake.add({ id, accountId: request.slice(0, 1), request })
  const goOn = () => new Promise((resolve) => setImmediate(resolve))
  /** Ends a preparation and waits for the consequences. */
  const settle = async (request: string, error?: string) => {
    if (error === undefined) preparationOf(request).resolve(() => log.push(`ready ${request}`))
    else preparationOf(request).reject(error)
    await goOn()
  }
  return { intake, log, add, settle, goOn }
}

test('prepares one at a time, accounts in turn', async () => {
  const { log, add, settle } = scripted()
  for (const [index, request] of ['a1', 'a2', 'b1'].entries()) add(index, request)
  await settle('a1')
  await settle('b1')
  await settle('a2')
  expect(log).toEqual(['prepare a1', 'ready a1', 'prepare b1', 'ready b1', 'prepare a2', 'ready a2'])
})

test('lanes do not wait for each other, and each request is cancelled in its own', async () => {
  const { intake, log, add, settle } = scripted()
  for (const [index, request] of ['a1 long', 'a2 short', 'a3 long'].entries()) add(index, request)
  await settle('a2 short')
  expect(log).toEqual(['prepare a1 long', 'prepare a2 short', 'ready a2 short'])
  expect(intake.size).toBe(2)
  expect([intake.cancel(2), intake.cancel(0), intake.size]).toEqual([true, true, 0])
})

test('a request that is refused does not stop the others', async () => {
  const { intake, log, add, settle } = scripted()
  add(1, 'a1')
  add(2, 'a2')
  await settle('a1', 'too long')
  await settle('a2')
  expect(log).toEqual(['prepare a1', 'refused 1: too long', 'prepare a2', 'ready a2'])
  expect(intake.size).toBe(0)
})

test('nothing is heard of a cancelled request, whether it waits or is being prepared', async () => {
  const { intake, log, add, settle, goOn } = scripted()
  for (const [index, request] of ['a1', 'a2', 'a3'].entries()) add(index, request)
  await goOn()
  expect([intake.cancel(0), intake.cancel(1), intake.cancel(1)]).toEqual([true, true, false])
  expect(intake.size).toBe(1)
  await settle('a1')
  await settle('a3')
  expect(log).toEqual(['prepare a1', 'abort a1', 'prepare a3', 'ready a3'])
})

test('a request that has been handed on is not here to be cancelled, not even in that moment', async () => {
  const found: boolean[] = []
  const options: IntakeOptions<string> = {
    laneOf: () => '',
    prepare: async () => () => found.push(intake.cancel(1)),
    onRefused: () => undefined,
  }
  const intake = new Intake(options)
  intake.add({ id: 1, accountId: 'a', request: 'a1' })
  await new Promise((resolve) => setImmediate(resolve))
  expect([...found, intake.cancel(1)]).toEqual([false, false])
})

test('goes on after having been empty', async () => {
  const { log, add, settle } = scripted()
  add(1, 'a1')
  await settle('a1')
  add(2, 'a2')
  await settle('a2')
  expect(log).toEqual(['prepare a1', 'ready a1', 'prepare a2', 'ready a2'])
})
