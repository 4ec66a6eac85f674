import { afterEach, expect, test } from 'bun:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import type { Webhook } from '../../core/webhook.ts'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import { openTestAccounts, type TestAccounts } from '../../testing/test-accounts.ts'
import { signedHeaders } from './post-message.ts'
import { Webhooks } from './webhooks.ts'

const secret = Buffer.from('a key of thirty-two bytes, truly')
const low = { type: 'balance.low', account: 'acc_1', balanceNanoUsd: 5, limitNanoUsd: 10 } as const
const startMs = 1_800_000_000_000

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

/** Starts a receiver that gives each message the next of these answers, the last one for all later ones. */
function receiver(answers: readonly (() => Response | Promise<Response>)[], tls?: { cert: string; key: string }) {
  const received: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(tls && { tls }),
    fetch: async (request) => {
      const answer = answers[Math.min(received.length, answers.length - 1)]
      received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return answer?.() ?? new Response()
    },
  })
  closing.push(() => server.stop(true))
  return { received, url: `${tls === undefined ? 'http://127.0.0.1' : 'https://localhost'}:${server.port}/hook` }
}

const taken = () => new Response()
const status = (code: number, headers: Record<string, string> = {}) => new Response('no', { status: code, headers })

function books(clock = { nowMs: startMs }) {
  const accounts = openTestAccounts(':memory:', () => clock.nowMs)
  closing.push(() => accounts[Symbol.dispose]())
  return { accounts, clock }
}

interface Opened {
  readonly webhooks: Webhooks
  readonly failures: string[]
  /** Resolves once `count` failures were reported. */
  failed(count: number): Promise<void>
}

function open({ stores }: TestAccounts, hooks: readonly Partial<Webhook>[], nowMs: () => number, ca?: string): Opened {
  const failures: string[] = []
  const waiters: { readonly count: number; readonly resolve: () => void }[] = []
  const webhooks = new Webhooks({
    webhooks: hooks.map((hook, index) => ({
      ...{ name: `hook-${index}`, url: '', events: ['balance.low' as const], secret },
      ...hook,
    })),
    deliveries: stores.webhookDeliveries,
    commits: stores.commits,
    post: { userAgent: 'inferd/test', ca },
    onFailure: (name, reason) => {
      failures.push(`${name}: ${reason}`)
      for (const waiter of waiters) if (failures.length >= waiter.count) waiter.resolve()
    },
    newId: (prefix) => `${prefix}test`,
    clock: nowMs,
  })
  closing.push(() => webhooks.stop())
  const failed = (count: number) =>
    new Promise<void>((resolve) => (failures.length >= count ? resolve() : waiters.push({ count, resolve })))
  return { webhooks, failures, failed }
}

/** Lets the server work until the database is as the test waits for. */
async function settled({ stores }: TestAccounts, isDone: () => boolean): Promise<void> {
  while (!isDone()) await stores.commits.run(() => undefined)
}

test('an event arrives once, as the Standard Webhooks library verifies it, with ids and exact amounts', async () => {
  const { accounts } = books({ nowMs: Date.now() })
  const { received, url } = receiver([taken])
  const { webhooks } = open(accounts, [{ url }], Date.now)
  webhooks.add(low)
  const rows = () => accounts.stores.webhookDeliveries.list({})
  await settled(accounts, () => rows()[0]?.deliveredMs !== undefined)
  expect(received).toHaveLength(1)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  const verified = new StandardWebhook(`whsec_${secret.toString('base64')}`).verify(body, headers)
  expect(verified).toEqual({
    type: 'balance.low',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    data: { account: 'acc_1', balance_usd: '0.000000005', limit_usd: '0.00000001' },
  })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'inferd/test' })
  expect(rows()).toMatchObject([{ attempts: 1, status: 200, failure: undefined, nextAttemptMs: undefined }])
})

test('a message that was changed on its way is not verified', () => {
  const headers = signedHeaders({ id: 'msg_1', body: '{"a":1}' }, secret, Date.now())
  const verifier = new StandardWebhook(`whsec_${secret.toString('base64')}`)
  expect(() => verifier.verify('{"a":2}', headers)).toThrow()
  expect(() => verifier.verify('{"a":1}', { ...headers, 'webhook-id': 'msg_2' })).toThrow()
})

test('an event within a transaction is kept with the change that it reports, and undone with it', async () => {
  const { accounts } = books()
  const { webhooks } = open(accounts, [{ url: 'http://127.0.0.1:9/' }], () => startMs)
  const { commits, webhookDeliveries } = accounts.stores
  const undone = commits.run(() => {
    webhooks.add(low)
    throw new Error('undone')
  })
  expect(await undone.catch(String)).toBe('Error: undone')
  await commits.run(() => undefined)
  expect(webhookDeliveries.list({})).toEqual([])
  await commits.run(() => {
    webhooks.add(low)
    expect(webhookDeliveries.list({})).toHaveLength(1)
  })
})

test('an event waits no longer because the clock was set back', async () => {
  const { accounts, clock } = books()
  await accounts.stores.commits.run(() => {
    accounts.stores.webhookDeliveries.add('hook-0', { type: 'x', body: '{}' })
  })
  clock.nowMs -= 365 * 86_400_000
  const { received, url } = receiver([taken])
  await open(accounts, [{ url }], () => clock.nowMs).webhooks.start()
  await settled(accounts, () => accounts.stores.webhookDeliveries.list({})[0]?.deliveredMs !== undefined)
  expect(received).toHaveLength(1)
})

test('an event that no webhook wants is not kept', async () => {
  const { accounts } = books()
  const { webhooks } = open(accounts, [{ url: 'http://127.0.0.1:9/' }], () => startMs)
  webhooks.add({ type: 'backup.failed', failedMs: 1 })
  await accounts.stores.commits.run(() => undefined)
  expect(accounts.stores.webhookDeliveries.list({})).toEqual([])
})

test.each([
  ['a server error', () => status(500), 'status 500'],
  [
    'a redirect, which is not followed',
    () => status(302, { location: 'http://127.0.0.1:9/' }),
    'redirects are not followed',
  ],
])('%s is a failure that is tried again a minute later under the same id', async (_, answer, reason) => {
  const { accounts, clock } = books()
  const { received, url } = receiver([answer, taken])
  const { webhooks, failures, failed } = open(accounts, [{ url }], () => clock.nowMs)
  webhooks.add(low)
  await failed(1)
  expect(failures[0]).toContain(reason)
  const [first] = accounts.stores.webhookDeliveries.list({})
  expect(first).toMatchObject({ attempts: 1, nextAttemptMs: startMs + 60_000, deliveredMs: undefined })
  clock.nowMs += 60_000
  await webhooks.start()
  await settled(accounts, () => accounts.stores.webhookDeliveries.list({})[0]?.deliveredMs !== undefined)
  const ids = received.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([first?.id ?? '', first?.id ?? ''])
})

test('a connection that is cut before the answer is a failure', async () => {
  const { accounts } = books()
  const cutting = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.terminate() } })
  closing.push(() => cutting.stop(true))
  const { webhooks } = open(accounts, [{ url: `http://127.0.0.1:${cutting.port}/` }], () => startMs)
  expect(await webhooks.test('hook-0')).toMatchObject({ kind: 'failed', status: undefined })
})

test('waits grow from a minute to 8 hours, and the last failure gives the event up', async () => {
  const { accounts, clock } = books()
  const { url } = receiver([() => status(503)])
  const { webhooks, failed } = open(accounts, [{ url }], () => clock.nowMs)
  webhooks.add(low)
  const waits: number[] = []
  for (let attempt = 1; ; attempt++) {
    await failed(attempt)
    const [row] = accounts.stores.webhookDeliveries.list({})
    if (row?.nextAttemptMs === undefined) break
    waits.push((row.nextAttemptMs - clock.nowMs) / 60_000)
    clock.nowMs = row.nextAttemptMs
    await webhooks.start()
  }
  expect(waits).toEqual([1, 5, 30, 120, 480, 480, 480])
  expect(accounts.stores.webhookDeliveries.list({})).toMatchObject([{ attempts: 8, failure: 'status 503' }])
})

test('a receiver that asks for a longer wait gets it, up to 8 hours', async () => {
  const { accounts, clock } = books()
  const slow = receiver([() => status(429, { 'retry-after': '600' })])
  const slower = receiver([() => status(429, { 'retry-after': '9999999' })])
  const { webhooks, failed } = open(accounts, [{ url: slow.url }, { url: slower.url }], () => clock.nowMs)
  webhooks.add(low)
  await failed(2)
  const waits = accounts.stores.webhookDeliveries
    .list({})
    .map((row) => [row.webhook, (row.nextAttemptMs ?? 0) - startMs])
  expect(Object.fromEntries(waits)).toEqual({ 'hook-0': 600_000, 'hook-1': 8 * 3_600_000 })
})

test('a receiver that hangs delays no other', async () => {
  const { accounts } = books()
  const asked = Promise.withResolvers<void>()
  const hanging = receiver([
    () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    },
  ])
  const working = receiver([taken])
  const { webhooks } = open(accounts, [{ url: hanging.url }, { url: working.url }], () => startMs)
  webhooks.add(low)
  webhooks.add(low)
  await asked.promise
  const done = () => accounts.stores.webhookDeliveries.list({}).filter((row) => row.deliveredMs !== undefined)
  await settled(accounts, () => done().length === 2)
  expect([hanging.received.length, working.received.length]).toEqual([1, 2])
})

test('an attempt that the end of the server cuts off is made again by the next one', async () => {
  const { accounts } = books()
  const asked = Promise.withResolvers<void>()
  const { received, url } = receiver([
    () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    },
    taken,
  ])
  const { webhooks } = open(accounts, [{ url }], () => startMs)
  webhooks.add(low)
  await asked.promise
  await webhooks.stop()
  expect(accounts.stores.webhookDeliveries.list({})).toMatchObject([{ attempts: 0, nextAttemptMs: startMs }])
  await open(accounts, [{ url }], () => startMs).webhooks.start()
  await settled(accounts, () => accounts.stores.webhookDeliveries.list({})[0]?.deliveredMs !== undefined)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('a certificate that nobody vouches for is refused, and one of the named authority taken', async () => {
  const { accounts } = books()
  const { received, url } = receiver([taken], { cert: certificate, key: privateKey })
  const refusing = open(accounts, [{ url }], () => startMs)
  expect(await refusing.webhooks.test('hook-0')).toMatchObject({ kind: 'failed', status: undefined })
  expect(received).toEqual([])
  const trusting = open(accounts, [{ url }], () => startMs, certificate)
  expect(await trusting.webhooks.test('hook-0')).toMatchObject({ kind: 'taken', status: 200, type: 'webhook.test' })
})

test('a failure does not repeat the address, whose path may be a secret', async () => {
  const { accounts } = books()
  const { webhooks } = open(accounts, [{ url: 'http://127.0.0.1:1/hidden-token' }], () => startMs)
  expect(JSON.stringify(await webhooks.test('hook-0'))).not.toContain('hidden-token')
  expect(JSON.stringify(webhooks.states())).not.toContain('hidden-token')
})

test('at most 1,000 events wait for a receiver, and the operator learns of the others', async () => {
  const { accounts } = books()
  const { webhooks, failed, failures } = open(accounts, [{ url: 'http://127.0.0.1:1/' }], () => startMs)
  await accounts.stores.commits.run(() => {
    for (let row = 0; row < 1_000; row++) accounts.stores.webhookDeliveries.add('hook-0', { type: 'x', body: '' })
  })
  webhooks.add(low)
  await failed(1)
  expect(failures[0]).toContain('too many events wait')
})

test('events of a webhook that is gone from the settings are given up', async () => {
  const { accounts } = books()
  accounts.stores.webhookDeliveries.add('former', { type: 'x', body: '' })
  await open(accounts, [], () => startMs).webhooks.start()
  expect(accounts.stores.webhookDeliveries.list({})).toMatchObject([
    { nextAttemptMs: undefined, failure: 'the webhook is configured no longer' },
  ])
})
