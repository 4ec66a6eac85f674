/** Requests that end while their documents are read, and many at once: no process, no file and no charge is left. */

import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentProcesses } from '../testing/document-processes.ts'
import { slowPdf } from '../testing/hostile-pdfs.ts'
import { toPdf } from '../testing/pdfs.ts'
import { type Payer, startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { until } from '../testing/until.ts'

const model = 'test/paid'
const tokenNanoUsd = 1_000
const price = tokenNanoUsd * 1_000_000
const pricing = { inputNanoUsd: price, cachedInputNanoUsd: price, outputNanoUsd: price, unit: '1M_tokens' } as const
const balance = 1_000_000_000

const servers: TestServer[] = []
function serve(options: TestServerOptions = {}): TestServer {
  const models = { [model]: { manifest: { type: 'vision', pricing } } } as const
  const server = startTestServer({ models, ...options })
  servers.push(server)
  return server
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

type MakeBody = (data: string) => object

const chat: MakeBody = (data) => ({
  messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: data } }] }],
})
const messages: MakeBody = (data) => {
  const source = { type: 'base64', media_type: 'application/pdf', data }
  return { messages: [{ role: 'user', content: [{ type: 'document', source }] }] }
}

interface Sent {
  readonly answer: Promise<unknown>
  readonly leave: () => void
}

function send(server: TestServer, payer: Payer, path: string, body: object): Sent {
  const client = new AbortController()
  const answer = fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
    signal: client.signal,
  })
  return { answer: answer.catch(() => 'left'), leave: () => client.abort() }
}

const slow = Buffer.from(slowPdf()).toString('base64')

test.each<[string, MakeBody]>([
  ['/chat/completions', chat],
  ['/chat/completions', (data) => ({ ...chat(data), stream: true })],
  ['/responses', (data) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_data: data }] }] })],
  ['/messages', (data) => ({ ...messages(data), max_tokens: 9 })],
  ['/messages/count_tokens', messages],
])('a client of %s that leaves ends the process and pays nothing', async (path, bodyOf) => {
  const server = serve()
  const payer = server.payer(balance)
  const reading = send(server, payer, path, bodyOf(slow))
  await until(
    'a process',
    () => documentProcesses(process.pid),
    ({ length }) => length === 1,
  )
  const waiting = send(server, payer, path, bodyOf(slow))
  await until(
    'its file',
    () => server.spooled(),
    ({ length }) => length === 2,
  )
  waiting.leave()
  await server.line(({ status }) => status === 499)
  expect([documentProcesses(process.pid).length, server.spooled().length]).toEqual([1, 1])
  reading.leave()
  expect(await Promise.all([reading.answer, waiting.answer])).toEqual(['left', 'left'])
  await server.drained()
  expect([documentProcesses(process.pid), server.spooled()]).toEqual([[], []])
  expect(payer.money()).toEqual({ balance, held: 0 })
})

/** Command that writes, before it reads a document, the sizes of all files that are read at this moment. */
function loggingCommand(path: string): string[] {
  const sizes = 'for p in $(cat /proc/$PPID/task/$PPID/children); do stat -Lc %s /proc/$p/fd/0 2>/dev/null; done'
  return ['/bin/sh', '-c', `echo $(${sizes}) >>'${path}'; exec "$@"`, 'sh', ...testedProgram]
}

test('fifty requests of five accounts never have more than two processes, and an account one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-turns-'))
  const path = join(folder, 'log')
  const server = serve({ documents: { command: loggingCommand(path) } })
  const accounts = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map((word) => {
    return {
      word,
      file: (index: number) => toPdf([{ lines: [`${word} ${10 + index}`] }]),
      payer: server.payer(balance),
    }
  })
  // The first account asks more than all others, and at the end alone.
  const asked = accounts.flatMap((account, index) => Array.from({ length: index === 0 ? 30 : 5 }, () => account))
  const answers = await Promise.all(
    asked.map(async ({ word, file, payer }, index) => {
      const body = { model, ...chat(file(index).toString('base64')) }
      const response = await server.post('/v1/chat/completions', body, { authorization: `Bearer ${payer.key}` })
      const { usage } = Object(await response.json())
      return { status: response.status, word, tokens: usage.prompt_tokens + usage.completion_tokens }
    }),
  )
  await server.drained()
  const sizes = new Set(accounts.map(({ file }) => String(file(0).length)))
  const moments = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ').filter((size) => sizes.has(size)))
  rmSync(folder, { recursive: true })
  expect(moments).toHaveLength(asked.length)
  // Accounts have files of different sizes.
  for (const read of moments) expect([1, 2]).toContain(read.length)
  for (const read of moments) expect(new Set(read).size).toBe(read.length)
  expect(moments.some((read) => read.length === 2)).toBe(true)
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200))
  for (const { word, payer } of accounts) {
    const tokens = answers.filter((answer) => answer.word === word).reduce((sum, answer) => sum + answer.tokens, 0)
    expect(payer.money()).toEqual({ balance: balance - tokens * tokenNanoUsd, held: 0 })
  }
  expect([documentProcesses(process.pid), server.spooled()]).toEqual([[], []])
}, 60_000)
