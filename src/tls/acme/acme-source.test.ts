import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs, hourMs } from '../../core/durations.ts'
import { type AcmeFault, startAcmeServer } from '../../testing/acme-server.ts'
import { expiredCertificate } from '../../testing/expired-certificate.ts'
import { certificate } from '../../testing/own-certificate.ts'
import { isSelfSigned } from '../make-certificates.ts'
import { acmeSource } from './acme-source.ts'
import { httpChallenges } from './challenges.ts'

const root = mkdtempSync(join(tmpdir(), 'inferd-acme-'))
afterAll(() => rmSync(root, { recursive: true }))

interface BoxOptions {
  readonly faultOf?: (resource: string, count: number) => AcmeFault | undefined
  readonly isReachable?: () => boolean | undefined
  readonly isStuck?: () => boolean
  readonly chainOf?: (chain: string) => string
  readonly wrongHost?: () => string | undefined
  readonly ageMs?: () => number
  readonly lifeMs?: number
  readonly folder?: string
  readonly window?: () => { readonly startMs: number; readonly endMs: number }
}

/** Starts an authority and a source of its certificates, whose clock the test turns. */
async function openBox({
  folder = mkdtempSync(join(root, 'box-')),
  isReachable = () => true,
  lifeMs = 90 * dayMs,
  ...others
}: BoxOptions) {
  let nowMs = Date.UTC(2026, 10, 28)
  const clock = () => nowMs
  const challenger = httpChallenges()
  const authority = await startAcmeServer({
    check: async (_, token) => isReachable() && challenger.answerTo(token)?.startsWith(`${token}.`) === true,
    ...{ ...others, lifeMs, clock },
  })
  const source = (signal = new AbortController().signal) =>
    acmeSource({
      ...{ folder, directoryUrl: authority.url, names: ['ai.example.com'], mail: undefined, ca: undefined },
      ...{ challenge: 'http-01', challenger, userAgent: 'test', clock, signal },
      pause: async (ms) => {
        nowMs += ms
      },
    })
  return {
    ...{ authority, folder, source, challenger },
    clock,
    pass: (ms: number) => {
      nowMs += ms
    },
    [Symbol.asyncDispose]: () => authority[Symbol.asyncDispose](),
  }
}

const failed = (error: unknown) => (error instanceof Error ? error.message : 'no error')

test('a certificate is ordered at the start and used again by the next one', async () => {
  await using box = await openBox({})
  const source = box.source()
  const standIn = await source.first()
  const pair = await source.next(standIn)
  expect(pair?.facts).toMatchObject({ names: ['ai.example.com'], issuer: 'CN=Test authority' })
  expect((await box.source().first()).certificate).toBe(pair?.certificate ?? '')
  for (const name of ['acme-account.key', 'acme.key', 'acme.json'])
    expect(statSync(join(box.folder, name)).mode & 0o777).toBe(0o600)
  expect(box.challenger.answerTo('token')).toBeUndefined()
})

test('nine refused nonces in a row delay an order and do not end it', async () => {
  await using box = await openBox({
    faultOf: (resource, count) =>
      resource === 'new-order' && count <= 9 ? { status: 400, type: 'badNonce' } : undefined,
  })
  const source = box.source()
  expect((await source.next(await source.first()))?.facts.names).toEqual(['ai.example.com'])
  expect(box.authority.counts.get('new-order')).toBe(10)
})

test.each([
  'directory',
  'nonce',
  'new-account',
  'new-order',
  'order',
  'authorization',
  'challenge',
  'finalize',
  'certificate',
])('a lost answer of %s costs one wait, and the next try ends with a certificate', async (lost) => {
  await using box = await openBox({
    faultOf: (resource, count) => (resource === lost && count === 1 ? 'lost' : undefined),
  })
  const standIn = await box.source().first()
  // Each try by a new source, as after a restart.
  expect(await box.source().next(standIn).catch(failed)).toContain('; the next try is at 2026-11-28T00:05:00Z')
  const askedBefore = [...box.authority.counts.values()].reduce((sum, count) => sum + count, 0)
  expect(await box.source().next(standIn).catch(failed)).toContain('00:05:00Z')
  expect([...box.authority.counts.values()].reduce((sum, count) => sum + count, 0)).toBe(askedBefore)
  box.pass(5 * 60_000)
  expect(await box.source().next(standIn)).toMatchObject({ facts: { names: ['ai.example.com'] } })
  // An order that was begun is continued, so that no certificate is issued twice.
  const issued = [...box.authority.orders.values()].filter(({ certificate }) => certificate !== undefined)
  expect(issued).toHaveLength(1)
})

test.each([
  ['seconds', '7200', 2 * hourMs],
  ['a date', 'Sat, 28 Nov 2026 03:00:00 GMT', 3 * hourMs],
  ['nothing', undefined, hourMs],
  ['a broken number', '7200.0005', 2 * hourMs + 1],
  ['an absurd time', '1e300', 7 * dayMs],
])('a rate limit that tells %s is obeyed across restarts', async (_, retryAfter, waitMs) => {
  await using box = await openBox({
    faultOf: (resource, count) =>
      resource === 'new-order' && count === 1
        ? { status: 429, type: 'rateLimited', ...(retryAfter !== undefined && { retryAfter }) }
        : undefined,
  })
  const standIn = await box.source().first()
  expect(await box.source().next(standIn).catch(failed)).toContain('rateLimited')
  box.pass(waitMs - 1)
  expect(await box.source().next(standIn).catch(failed)).toContain('rateLimited')
  expect(box.authority.counts.get('new-order')).toBe(1)
  box.pass(1)
  expect(await box.source().next(standIn)).toMatchObject({ facts: { issuer: 'CN=Test authority' } })
})

test.each([
  ['pending', 'a check'],
  ['processing', 'an order'],
])(
  'an authority that says %s for ever about %s is left after 15 minutes, and the order is continued later',
  async (status) => {
    let isDecided = false
    await using box = await openBox({
      isReachable: () => (status === 'pending' && !isDecided ? undefined : true),
      isStuck: () => status === 'processing' && !isDecided,
    })
    const source = box.source()
    const standIn = await source.first()
    const beganMs = box.clock()
    expect(await source.next(standIn).catch(failed)).toContain(`the authority still says ${status} after 15 minutes`)
    expect(box.clock() - beganMs).toBeLessThan(16 * 60_000)
    isDecided = true
    box.pass(5 * 60_000)
    expect(await source.next(standIn)).toMatchObject({ facts: { issuer: 'CN=Test authority' } })
    expect(box.authority.orders.size).toBe(1)
  },
)

test.each([
  ['of another key', certificate, 'is not the key of the first certificate'],
  ['that has ended', expiredCertificate, 'is not the key of the first certificate'],
  ['cut in the middle', undefined, 'holds no certificate in PEM'],
])('a certificate %s is not used, and the next try begins another order', async (_, wrong, reason) => {
  let isRight = false
  await using box = await openBox({ chainOf: (chain) => (isRight ? chain : (wrong ?? chain.slice(0, -100))) })
  const source = box.source()
  const standIn = await source.first()
  expect(await source.next(standIn).catch(failed)).toContain(reason)
  isRight = true
  box.pass(5 * 60_000)
  expect(await source.next(standIn)).toMatchObject({ facts: { issuer: 'CN=Test authority' } })
  expect(box.authority.orders.size).toBe(2)
})

test.each([
  ['for another host', { wrongHost: () => 'else.example.com' }, 'is for else.example.com'],
  [
    'of which most is over',
    { ageMs: () => 70 * dayMs },
    'was to be renewed on 2026-11-18: check the clock of this machine',
  ],
  ['that has ended', { ageMs: () => 91 * dayMs }, 'ended at 2026-11-27'],
])('an authority whose certificate is always one %s gets no more than ten orders in a day', async (_, flaw, reason) => {
  await using box = await openBox(flaw)
  const standIn = await box.source().first()
  expect(await box.source().next(standIn).catch(failed)).toContain(reason)
  for (let passedMs = 0; passedMs < dayMs; passedMs += 5 * 60_000) {
    box.pass(5 * 60_000)
    // By a new source, as after a restart.
    await box.source().next(standIn).catch(failed)
  }
  expect(box.authority.orders.size).toBeLessThan(11)
  expect(isSelfSigned((await box.source().first()).facts)).toBe(true)
})

test('after a change of the authority its certificate stays in use until the new one has issued another', async () => {
  await using box = await openBox({})
  const source = box.source()
  const first = await source.next(await source.first())
  await using other = await openBox({ folder: box.folder })
  const next = other.source()
  const kept = await next.first()
  expect(kept.certificate).toBe(first?.certificate ?? '')
  const issued = await next.next(kept)
  expect(other.authority.orders.size).toBe(1)
  expect(await next.next(issued ?? kept)).toBeUndefined()
})

test('a stop in the middle of a try ends it at once, and the next start continues without a wait', async () => {
  const stopping = new AbortController()
  let isStopped = false
  await using box = await openBox({
    isReachable: () => {
      if (isStopped) return true
      stopping.abort()
      return undefined
    },
  })
  const source = box.source(stopping.signal)
  const standIn = await source.first()
  expect(isSelfSigned(standIn.facts)).toBe(true)
  expect(await source.next(standIn)).toBeUndefined()
  isStopped = true
  expect(await box.source().next(standIn)).toMatchObject({ facts: { issuer: 'CN=Test authority' } })
})

test('a certificate is renewed at a third of its life, and stays in use while renewals fail', async () => {
  let isReachable = true
  await using box = await openBox({ isReachable: () => isReachable })
  const source = box.source()
  const first = await source.next(await source.first())
  if (first === undefined) throw new Error('no certificate')
  box.pass(59 * dayMs)
  expect(await source.next(first)).toBeUndefined()
  isReachable = false
  box.pass(2 * dayMs)
  expect(await source.next(first).catch(failed)).toContain('cannot reach ai.example.com')
  expect((await box.source().first()).certificate).toBe(first.certificate)
  expect(readFileSync(join(box.folder, 'acme.pem'), 'utf8')).toBe(first.certificate)
  // Waits double up to half a day.
  const tries: number[] = []
  for (let passedMs = 0; passedMs < 3 * dayMs; passedMs += 60_000) {
    box.pass(60_000)
    const before = box.authority.orders.size
    await source.next(first).catch(failed)
    if (box.authority.orders.size > before) tries.push(passedMs)
  }
  expect(tries.length).toBeLessThan(14)
  isReachable = true
  box.pass(12 * hourMs)
  expect(await source.next(first)).toMatchObject({ facts: { names: ['ai.example.com'] } })
})

test("the authority's advice moves a renewal, and the new order names the certificate that it replaces", async () => {
  let startMs = Number.POSITIVE_INFINITY
  await using box = await openBox({
    window: () => ({
      startMs: Math.min(startMs, Date.UTC(2027, 1, 1)),
      endMs: Math.min(startMs, Date.UTC(2027, 1, 1)),
    }),
  })
  const source = box.source()
  const first = await source.next(await source.first())
  if (first === undefined) throw new Error('no certificate')
  expect(await source.next(first)).toBeUndefined()
  // The authority revokes certificates and wants new ones now. It is asked again after the hour that it named.
  startMs = box.clock()
  box.pass(30 * 60_000)
  expect(await source.next(first)).toBeUndefined()
  box.pass(31 * 60_000)
  expect(await source.next(first)).toMatchObject({ facts: { issuer: 'CN=Test authority' } })
  expect([...box.authority.orders.values()].at(-1)?.replaces).toMatch(/^[\w-]+\.[\w-]+$/)
})

test('an authority that always wants a new certificate gets no order each minute', async () => {
  await using box = await openBox({ window: () => ({ startMs: 0, endMs: 0 }) })
  const source = box.source()
  const first = await source.next(await source.first())
  if (first === undefined) throw new Error('no certificate')
  box.pass(59 * 60_000)
  expect(await source.next(first)).toBeUndefined()
  box.pass(60_000)
  expect(await source.next(first)).toBeDefined()
  expect(box.authority.orders.size).toBe(2)
})

test.each([
  ['does not end', () => new Response(endless()), 'it is longer than 1000000 bytes'],
  ['leads to a file', () => Response.json({ newNonce: 'file:///etc/hostname', newAccount: '' }), 'it cannot have'],
  ['is no directory', () => new Response('<html>'), 'JSON'],
  ['leads elsewhere', () => Response.redirect('http://127.0.0.1:1/'), 'does not answer'],
])('an answer of an authority that %s ends the try with its reason', async (_, answer, reason) => {
  await using authority = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  const source = acmeSource({
    ...{ folder: mkdtempSync(join(root, 'box-')), directoryUrl: authority.url.href, names: ['ai.example.com'] },
    ...{ mail: undefined, ca: undefined, challenge: 'http-01', challenger: httpChallenges(), userAgent: 'test' },
    ...{ clock: Date.now, pause: async () => undefined, signal: new AbortController().signal },
  })
  expect(await source.next(await source.first()).catch(failed)).toContain(reason)
})

async function* endless() {
  for (;;) yield new Uint8Array(65_536)
}
