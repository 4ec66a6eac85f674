import type { FakeAction } from '../../engines/fake/script.ts'
import type { Payer, TestServer } from '../test-server.ts'

/** 10 nano-USD a prompt token, 4 when it is cached, 30 a token of the answer. */
export const testPricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 4_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
} as const

export interface PayerRequest {
  readonly model: string
  readonly script?: readonly FakeAction[]
  /** Further fields of the script. */
  readonly ending?: object
  readonly signal?: AbortSignal
  /** Further fields of the body. */
  readonly [field: string]: unknown
}

/** A chat with the script as its last message, which the payer pays. */
export function askAs(
  server: TestServer,
  payer: Payer,
  { model, script = [], ending = {}, signal, ...fields }: PayerRequest,
): Promise<Response> {
  const messages = [{ role: 'user', content: JSON.stringify({ script, ...ending }) }]
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...fields }),
    ...(signal && { signal }),
  })
}

/** The usage record of the request that an answer belongs to, once it is over; undefined: it was charged nothing. */
export async function recordOf(server: TestServer, response: Response) {
  const requestId = response.headers.get('x-request-id') ?? ''
  await server.line((line) => line.requestId === requestId)
  return server.stores.usage.find(requestId)
}

/** Reads a stream until `text` has come; returns what came. Nothing more is read. */
export async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let received = ''
  while (!received.includes(text)) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done) throw new Error(`the stream ended without ${JSON.stringify(text)} after: ${received}`)
    received += decoder.decode(value, { stream: true })
  }
  return received
}
