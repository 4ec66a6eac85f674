/** One order of a certificate, from its names to the signed chain. Every step can be repeated after a lost answer. */
import { isIP } from 'node:net'
import { makeRequest } from '../make-certificates.ts'
import type { AcmeClient } from './acme-client.ts'
import { AcmeError, retryAfterMs } from './acme-error.ts'

export type ChallengeType = 'http-01' | 'tls-alpn-01'

/** Answers challenges while an order runs. */
export interface Challenger {
  /** Begins to answer; the function that it returns ends that. */
  answer(challenge: {
    readonly host: string
    readonly token: string
    readonly keyAuthorization: string
  }): Promise<() => void>
}

/** Order that was begun, as it is kept on the disk. */
export interface BegunOrder {
  readonly url: string
  /** Key of the certificate as PEM. */
  readonly key: string
  readonly names: readonly string[]
}

interface Order {
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  readonly authorizations: readonly string[]
  readonly finalize: string
  readonly certificate?: string
  readonly error?: { readonly detail?: string }
}

interface Authorization {
  readonly status: string
  readonly identifier: { readonly value: string }
  readonly challenges: readonly {
    readonly type: string
    readonly url: string
    readonly token: string
    readonly error?: { readonly detail?: string }
  }[]
}

interface OrderContext {
  readonly client: AcmeClient
  readonly challenge: ChallengeType
  readonly challenger: Challenger
  readonly pause: (ms: number) => Promise<void>
  readonly clock: () => number
}

/** Longest time that one try waits for the authority to decide. The next try continues the order. */
const patienceMs = 15 * 60_000
const pauseMs = { least: 1_000, most: 30_000 } as const

/** Sends a new order. `replaces` identifies the certificate whose place it takes. Returns its URL. */
export async function beginOrder(
  client: AcmeClient,
  names: readonly string[],
  replaces: string | undefined,
): Promise<string> {
  const { newOrder, meta, renewalInfo } = await client.directory()
  const identifiers = names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))
  // Public authorities certify addresses for some days only, by this profile.
  const hasAddress = identifiers.some(({ type }) => type === 'ip')
  const profile = hasAddress && meta?.profiles?.shortlived !== undefined ? { profile: 'shortlived' } : {}
  const order = { identifiers, ...profile }
  const replacing = replaces === undefined || renewalInfo === undefined ? undefined : { ...order, replaces }
  const send = async (payload: object) => (await client.post(newOrder, payload)).headers.get('location')
  const url = await (replacing === undefined
    ? send(order)
    : send(replacing).catch((error: unknown) => {
        // The authority does not know the old certificate, or another order has replaced it.
        const isAboutOld = error instanceof AcmeError && ['alreadyReplaced', 'malformed'].includes(error.type ?? '')
        if (!isAboutOld) throw error
        return send(order)
      }))
  if (url === null) throw new AcmeError('the authority accepts an order without telling its address')
  return url
}

/** Completes an order. Returns the chain in PEM. Rejects with AcmeError. */
export async function completeOrder(begun: BegunOrder, context: OrderContext): Promise<string> {
  const { client, clock } = context
  const untilMs = clock() + patienceMs
  let order = await read<Order>(context, begun.url)
  for (const url of order.value.authorizations) {
    if (order.value.status !== 'pending') break
    await authorize(url, untilMs, context)
  }
  order = await settled<Order>(
    context,
    begun.url,
    untilMs,
    ({ status }) => status !== 'pending' && status !== 'processing',
  )
  if (order.value.status === 'ready') {
    const csr = Buffer.from(await makeRequest(begun.key, begun.names)).toString('base64url')
    await client.post(order.value.finalize, { csr })
    order = await settled<Order>(
      context,
      begun.url,
      untilMs,
      ({ status }) => status === 'valid' || status === 'invalid',
    )
  }
  const { status, certificate, error } = order.value
  if (status !== 'valid' || certificate === undefined)
    throw new AcmeError(`the order failed: ${error?.detail ?? status}`, { type: 'orderFailed' })
  return (await client.post(certificate)).text
}

async function authorize(url: string, untilMs: number, context: OrderContext): Promise<void> {
  const { client, challenge, challenger } = context
  const { value: asked } = await read<Authorization>(context, url)
  if (asked.status === 'valid') return
  const host = asked.identifier.value
  const offered = asked.challenges.find(({ type }) => type === challenge)
  if (offered === undefined) {
    const others = asked.challenges.map(({ type }) => type).join(', ')
    throw new AcmeError(`the authority does not check ${host} by ${challenge}, but by ${others}`, {
      type: 'orderFailed',
    })
  }
  const { token, url: challengeUrl } = offered
  const end = await challenger.answer({ host, token, keyAuthorization: await client.keyAuthorization(token) })
  try {
    await client.post(challengeUrl, {})
    const { value } = await settled<Authorization>(context, url, untilMs, ({ status }) => status !== 'pending')
    if (value.status === 'valid') return
    const reason = value.challenges.find(({ error }) => error !== undefined)?.error?.detail ?? value.status
    throw new AcmeError(`the authority could not check ${host} by ${challenge}: ${reason}`, { type: 'orderFailed' })
  } finally {
    end()
  }
}

/** Reads an object until it is settled. Rejects with AcmeError if that takes too long. */
async function settled<Value extends { readonly status: string }>(
  context: OrderContext,
  url: string,
  untilMs: number,
  isSettled: (value: Value) => boolean,
): Promise<{ readonly value: Value; readonly waitMs: number | undefined }> {
  for (;;) {
    const found = await read<Value>(context, url)
    if (isSettled(found.value)) return found
    if (context.clock() >= untilMs)
      throw new AcmeError(`the authority still says ${found.value.status} after ${patienceMs / 60_000} minutes: ${url}`)
    await context.pause(Math.min(pauseMs.most, Math.max(pauseMs.least, found.waitMs ?? 0)))
  }
}

async function read<Value>({ client, clock }: OrderContext, url: string) {
  const { text, headers } = await client.post(url)
  const value = JSON.parse(text) as Value // Fields are used only as far as they are there.
  return { value, waitMs: retryAfterMs(headers.get('retry-after'), clock()) }
}
