import type { FakeAction } from '../../engines/fake/script.ts'
import type { Payer, TestServer } from '../test-server.ts'

/** Prices: 10 nano-USD per prompt token, 4 per cached one, 30 per answer token. */
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

/** Sends a chat with the script as its last message, which the payer pays for. */
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

/** Returns the usage record of an answer's request once it is finished; undefined if nothing was charged. */
export async function recordOf(server: TestServer, response: Response) {
  const requestId = response.headers.get('x-request-id') ?? ''
  await server.line((line) => line.requestId === requestId)
  return server.stores.usage.find(requestId)
}

/** Reads a stream until `text` has arrived, and no further. Returns the text read. */
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
