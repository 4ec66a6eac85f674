import { expect, test } from 'bun:test'
import { upstreamKey } from '../../../testing/upstream/event-outcome.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'
import { defaultLimits } from './request.ts'
import { requestJson } from './request-json.ts'

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

async function answerOf(
  answer: (exchange: RawExchange) => void,
  method: 'GET' | 'POST' = 'GET',
  limits = defaultLimits,
): Promise<unknown> {
  await using server = await startRawServer(answer)
  const { signal } = new AbortController()
  return await requestJson({ method, url: server.url, key: upstreamKey, signal, limits }, 1000)
}

test('the JSON of an answer', async () => {
  let request = ''
  const json = await answerOf((to) => {
    request = to.request
    to.end(`${head}\r\n{"a":"é"}`)
  })
  expect(json).toEqual({ a: 'é' })
  expect(request).toStartWith('GET /v1/chat/completions HTTP/1.1\r\n')
  expect(request.toLowerCase()).not.toContain('content-')
})

test('a request without a body has a length of zero where bodies are usual', async () => {
  let request = ''
  await answerOf((to) => {
    request = to.request
    to.end(`${head}\r\nnull`)
  }, 'POST')
  expect(request.toLowerCase()).toContain('content-length: 0')
})

test.each<[name: string, answer: (exchange: RawExchange) => void, failure: Record<string, unknown>]>([
  ['a page', (to) => to.end(`${head}\r\n<html>${upstreamKey}`), { kind: 'malformed', detail: '<html>[key]' }],
  ['half of it', (to) => to.end(`${head}content-length: 9\r\n\r\n{"a"`), { kind: 'cut' }],
  ['nothing in it', (to) => to.end(`${head}\r\n`), { kind: 'malformed', detail: '' }],
  ['more than it may have', (to) => to.say(`${head}\r\n`).pour(' '.repeat(9999)), { kind: 'too-large' }],
  [
    'a refusal',
    (to) => to.end('HTTP/1.1 404 No\r\n\r\nno such path'),
    { kind: 'status', status: 404, detail: 'no such path' },
  ],
])('%s is a failure', async (_name, answer, failure) => {
  await expect(answerOf(answer)).rejects.toMatchObject(failure)
})

test('a byte at a time is no answer once its time is over', async () => {
  const limits = { ...defaultLimits, firstByteMs: 300 }
  const answer = answerOf((to) => to.say(`${head}\r\n`).drip(' '), 'GET', limits)
  await expect(answer).rejects.toMatchObject({ kind: 'no-answer' })
})
