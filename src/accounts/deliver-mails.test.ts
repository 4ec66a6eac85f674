import { expect, test } from 'bun:test'
import type { MailText } from '../mail/compose-mail.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { MailDelivery } from './deliver-mails.ts'
import { parseEmail } from './email-address.ts'

interface Sent {
  readonly to: string
  readonly mail: MailText
}

/**
 * Makes an account with an address, and a delivery whose mail server answers each attempt with the next of `answers`.
 */
function postOffice(answers: readonly ('ok' | string)[], clock = { nowMs: 1_800_000_000_000 }) {
  const books = openTestAccounts(':memory:', () => clock.nowMs)
  const { stores } = books
  const email = parseEmail('ada@example.org')
  if (email === undefined) throw new Error('no address')
  const accountId = stores.accounts.create({ email, name: 'Ada' }) ?? ''
  const sent: Sent[] = []
  const failures: string[] = []
  let attempts = 0
  const firstSent = Promise.withResolvers<void>()
  const delivery = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    baseUrl: () => 'https://box.example',
    clock: () => clock.nowMs,
    onFailure: (_, reason) => failures.push(reason),
    send: async (to, mail) => {
      const answer = answers[attempts++] ?? 'ok'
      if (answer !== 'ok') throw new Error(answer)
      sent.push({ to, mail })
      firstSent.resolve()
    },
  })
  return {
    stores,
    clock,
    accountId,
    sent,
    failures,
    delivery,
    /** Resolves when a mail has gone out and its result is recorded. */
    settle: async () => {
      await firstSent.promise
      await delivery.stop()
    },
    [Symbol.dispose]: () => books[Symbol.dispose](),
  }
}

test('a mail that was put in is sent with a link that works', async () => {
  using office = postOffice(['ok'])
  const { stores, accountId, delivery, sent } = office
  const id = stores.outbox.add(accountId, 'confirm')
  delivery.wake()
  await office.settle()
  expect(sent.map(({ to }) => to)).toEqual(['ada@example.org'])
  const [, token = ''] = /https:\/\/box\.example\/confirm\?token=(\w+)/.exec(sent[0]?.mail.text ?? '') ?? []
  expect(stores.mailTokens.consume(token, 'confirm')).toEqual({ kind: 'ok', accountId })
  expect(stores.outbox.find(id)).toMatchObject({ sentMs: office.clock.nowMs, attempts: 1, failure: undefined })
})

test('a mail that fails is tried again later, and less and less often', async () => {
  const waits: number[] = []
  const clock = { nowMs: 1_800_000_000_000 }
  using office = postOffice([], clock)
  const { stores, accountId } = office
  const id = stores.outbox.add(accountId, 'confirm')
  for (let attempt = 0; attempt < 8; attempt++) {
    const due = stores.outbox.due()
    expect(due).toHaveLength(1)
    const failed = Promise.withResolvers<void>()
    const one = new MailDelivery({
      ...stores,
      tokens: stores.mailTokens,
      baseUrl: () => 'https://box.example',
      clock: () => clock.nowMs,
      onFailure: () => failed.resolve(),
      send: () => Promise.reject(new Error('421 later')),
    })
    one.wake()
    await failed.promise
    await one.stop()
    const { nextAttemptMs } = stores.outbox.find(id) ?? {}
    if (nextAttemptMs === undefined) break
    waits.push((nextAttemptMs - clock.nowMs) / 60_000)
    clock.nowMs = nextAttemptMs
  }
  expect(waits).toEqual([1, 5, 15, 60, 360, 360, 360])
  expect(stores.outbox.find(id)).toMatchObject({ sentMs: undefined, attempts: 8, failure: '421 later' })
  expect(stores.outbox.due()).toEqual([])
  expect(stores.outbox.list({ isWaiting: true, limit: 9 })).toHaveLength(1)
})

test('one that fails does not keep the others back', async () => {
  using office = postOffice(['550 no', 'ok'])
  const { stores, accountId, delivery, sent, failures } = office
  stores.outbox.add(accountId, 'confirm')
  office.clock.nowMs += 1
  stores.outbox.add(accountId, 'sign-in')
  delivery.wake()
  await office.settle()
  expect(failures).toEqual(['550 no'])
  expect(sent.map(({ mail }) => mail.subject)).toEqual(['Your sign-in link'])
})

test('without a mail server mails wait', async () => {
  using office = postOffice([])
  const { stores, accountId } = office
  const id = stores.outbox.add(accountId, 'confirm')
  const idle = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    baseUrl: () => 'https://box.example',
    clock: Date.now,
    onFailure: () => undefined,
    send: undefined,
  })
  idle.wake()
  await idle.stop()
  expect(stores.outbox.find(id)).toMatchObject({ attempts: 0, sentMs: undefined })
})

test('a link that a mail server repeats is not kept', async () => {
  using office = postOffice(['550 no', 'ok'])
  const { stores, accountId } = office
  const failures: string[] = []
  const id = stores.outbox.add(accountId, 'confirm')
  const delivery = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    baseUrl: () => 'https://box.example',
    clock: () => office.clock.nowMs,
    onFailure: (_, reason) => failures.push(reason),
    send: (_, { text }) => Promise.reject(new Error(`554 spam: ${/token=\w+/.exec(text)?.[0]}`)),
  })
  delivery.wake()
  await office.stores.commits.run(() => undefined)
  await delivery.stop()
  expect(stores.outbox.find(id)?.failure).toBe('554 spam: token=…')
})

test('a sign-in link is not sent half an hour later', async () => {
  using office = postOffice([])
  const { stores, accountId } = office
  const id = stores.outbox.add(accountId, 'sign-in')
  office.clock.nowMs += 29.5 * 60_000
  const delivery = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    baseUrl: () => 'https://box.example',
    clock: () => office.clock.nowMs,
    onFailure: () => failed.resolve(),
    send: () => Promise.reject(new Error('421 later')),
  })
  const failed = Promise.withResolvers<void>()
  delivery.wake()
  await failed.promise
  await delivery.stop()
  expect(stores.outbox.find(id)).toMatchObject({ attempts: 1, nextAttemptMs: undefined })
})

test('a database that fails is told and does not end the program', async () => {
  using office = postOffice([])
  const { stores } = office
  const told = Promise.withResolvers<string>()
  const broken = Object.assign(Object.create(stores.outbox), {
    due: () => {
      throw new Error('disk I/O error')
    },
  })
  const delivery = new MailDelivery({
    ...stores,
    outbox: broken,
    tokens: stores.mailTokens,
    baseUrl: () => 'https://box.example',
    clock: () => office.clock.nowMs,
    onFailure: (_, reason) => told.resolve(reason),
    send: async () => undefined,
  })
  delivery.wake()
  expect(await told.promise).toBe('disk I/O error')
  await delivery.stop()
})

test('the state of the mail server is that of the last mails, in its own words', async () => {
  using office = postOffice(['450 too busy', '450 too busy', 'ok'])
  const { delivery, clock, sent } = office
  expect(delivery.state()).toEqual({ kind: 'unknown' })
  const test = () => delivery.test('ada@example.org').catch((error: Error) => error.message)
  expect(await test()).toBe('450 too busy')
  const sinceMs = clock.nowMs
  clock.nowMs += 60_000
  await test()
  expect(delivery.state()).toEqual({ kind: 'failing', sinceMs, failure: '450 too busy' })
  expect(await test()).toBeUndefined()
  expect(delivery.state()).toEqual({ kind: 'working', sinceMs: clock.nowMs })
  expect(sent[0]?.mail.text).toContain('https://box.example')
})

test('a mail that is not tried any more is sent when the operator asks for it', async () => {
  using office = postOffice(['ok'])
  const { stores, accountId, delivery, sent } = office
  const id = stores.outbox.add(accountId, 'confirm')
  stores.outbox.markFailed(id, 'refused', undefined)
  expect([stores.outbox.due(), stores.outbox.countWaiting()]).toEqual([[], 1])
  expect(stores.outbox.retry(id)).toBe(true)
  delivery.wake()
  await office.settle()
  expect(sent).toHaveLength(1)
  expect([stores.outbox.retry(id), stores.outbox.countWaiting()]).toEqual([false, 0])
})
