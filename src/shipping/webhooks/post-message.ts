/** One attempt to deliver a message, by the Standard Webhooks specification. */
import { createHmac } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { errorText } from '../../core/error-text.ts'
import { readRetryAfterMs } from '../../core/retry-after.ts'
import type { Webhook } from '../../core/webhook.ts'
import type { AttemptResult } from './deliveries.ts'

const limitMs = 10_000

interface Message {
  readonly id: string
  readonly body: string
}

export interface PostOptions {
  readonly userAgent: string
  /** Certificates (PEM) that are trusted besides the usual ones. */
  readonly ca?: string | undefined
  /** Milliseconds UTC. */
  readonly nowMs: number
  readonly signal: AbortSignal
}

export type Posted = AttemptResult & { readonly retryAfterMs?: number | undefined }

/** Returns the headers of an attempt. The signature covers the id, the time and the body. */
export function signedHeaders({ id, body }: Message, secret: Uint8Array, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Posts a message. Follows no redirect, reads no answer, and gives up after 10 seconds. Never rejects. */
export async function postMessage(
  { url, secret }: Webhook,
  message: Message,
  { userAgent, ca, nowMs, signal }: PostOptions,
): Promise<Posted> {
  const timeLimit = AbortSignal.timeout(limitMs)
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signedHeaders(message, secret, nowMs),
      },
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeLimit]),
      ...(ca !== undefined && { tls: { ca: [...rootCertificates, ca] } }),
    })
    await answer.body?.cancel().catch(() => undefined) // nothing of it is used
    const { status, ok } = answer
    if (ok) return { kind: 'taken', status }
    const retryAfterMs = readRetryAfterMs(answer.headers.get('retry-after'), nowMs)
    return { kind: 'failed', status, failure: failureOf(status), retryAfterMs }
  } catch (error) {
    const failure = timeLimit.aborted ? `no answer within ${limitMs / 1000} s` : withoutAddress(errorText(error), url)
    return { kind: 'failed', status: undefined, failure }
  }
}

function failureOf(status: number): string {
  const isRedirect = status >= 300 && status < 400
  return isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`
}

/** Removes the address from an error's text, since its path or query may hold a secret. */
function withoutAddress(text: string, url: string): string {
  return text.replaceAll(url, new URL(url).origin).slice(0, 200)
}
