/** `inferd serve` with working clients, until it is killed. */

import { perform } from '../../src/cli/perform.ts'
import { testRules } from '../../src/testing/account-rules.ts'
import { recording } from '../../src/testing/recording.ts'
import { testedProgram } from '../../src/testing/tested-program.ts'
import { textParts } from '../../src/testing/text-parts.ts'

export interface Payer {
  readonly accountId: string
  readonly key: string
}

/** Acknowledgements that clients and the operator got before the kill. */
export interface Acknowledged {
  /** Prices of complete answers by request id, as sent to the client. Undefined for streams. */
  readonly answers: Map<string, string | undefined>
  /** Memos of confirmed top-ups. */
  readonly topUps: string[]
  /** Memos of requested top-ups. */
  readonly askedTopUps: string[]
}

interface Load {
  readonly dataDir: string
  readonly baseUrl: string
  readonly payer: Payer
  readonly acknowledged: Acknowledged
  readonly isOver: () => boolean
  /** Called after each request. */
  readonly onEnd: () => unknown
  readonly random: () => number
}

export interface Serving {
  readonly process: Bun.Subprocess
  readonly baseUrl: string
}

/** Starts the server of a data folder. Resolves when it listens. */
export async function serve(dataDir: string): Promise<Serving> {
  const command = [...testedProgram, 'serve', '--json', '--port', '0', '--data', dataDir]
  const child = Bun.spawn(command, { env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  for await (const line of textParts(child.stdout)) {
    if (line.includes('"listening"')) return { process: child, baseUrl: JSON.parse(line).baseUrl }
  }
  throw new Error('the server did not start')
}

/**
 * Runs answers, whole and streamed, recordings, clients that disconnect, and top-ups in parallel. Resolves when the server is gone.
 */
export async function putUnderLoad(load: Load): Promise<void> {
  const clients = [whole, whole, whole, streamed, streamed, recorded, leaving, toppingUp]
  await Promise.all(clients.map((client) => repeat(load, client)))
}

type Client = (load: Load) => Promise<void>

async function repeat(load: Load, client: Client): Promise<void> {
  while (!load.isOver()) {
    // The kill breaks connections in every possible way.
    await client(load).catch(() => undefined)
    load.onEnd()
  }
}

async function whole({ baseUrl, payer, acknowledged, random }: Load): Promise<void> {
  const response = await ask(baseUrl, payer, { messages: [words(random)] })
  const answer = Object(await response.json())
  if (response.status !== 200 || answer.usage === undefined) return
  acknowledged.answers.set(requestIdOf(response), response.headers.get('x-cost-usd') ?? undefined)
}

async function streamed({ baseUrl, payer, acknowledged, random }: Load): Promise<void> {
  const response = await ask(baseUrl, payer, { messages: [words(random)], stream: true })
  const text = await response.text()
  if (text.includes('data: [DONE]')) acknowledged.answers.set(requestIdOf(response), undefined)
}

/** Sends a recording to be translated, or labelled with its speakers. */
async function recorded({ baseUrl, payer, acknowledged, random }: Load): Promise<void> {
  const path = random() < 0.5 ? 'translations' : 'transcriptions'
  const form = new FormData()
  form.set('model', 'test/ears')
  form.set('response_format', path === 'translations' ? 'verbose_json' : 'diarized_json')
  form.set('file', new Blob([recording(1 + Math.floor(random() * 5))]))
  const headers = { authorization: `Bearer ${payer.key}` }
  const response = await fetch(`${baseUrl}/audio/${path}`, { method: 'POST', headers, body: form })
  const answer = Object(await response.json())
  if (response.status !== 200 || answer.usage === undefined) return
  acknowledged.answers.set(requestIdOf(response), response.headers.get('x-cost-usd') ?? undefined)
}

async function leaving({ baseUrl, payer, random }: Load): Promise<void> {
  const client = new AbortController()
  const response = await ask(baseUrl, payer, { messages: [words(random)], stream: true }, client.signal)
  await response.body?.getReader().read()
  client.abort()
}

async function toppingUp({ dataDir, payer, acknowledged, random }: Load): Promise<void> {
  const memo = `top-up ${random()}`
  acknowledged.askedTopUps.push(memo)
  const target = { dataDir, baseUrl: 'http://localhost', actor: 'cli:test', rules: testRules, patienceMs: 5_000 }
  await perform(target, 'ledger-credit', { account: payer.accountId, amount: '0.000001', memo })
  acknowledged.topUps.push(memo)
}

function ask(baseUrl: string, payer: Payer, fields: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/paid', ...fields }),
    ...(signal === undefined ? {} : { signal }),
  })
}

function words(random: () => number): object {
  return { role: 'user', content: 'word '.repeat(1 + Math.floor(random() * 40)) }
}

function requestIdOf(response: Response): string {
  return response.headers.get('x-request-id') ?? ''
}
