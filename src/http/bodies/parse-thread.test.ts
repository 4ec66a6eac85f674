import { afterAll, expect, test } from 'bun:test'
import { chatCompletionsDialect } from '../../wire/chat-completions/dialect.ts'
import { ParseThread } from './parse-thread.ts'

const thread = new ParseThread()
afterAll(() => thread.close())

function parse(content: string, signal: AbortSignal) {
  const body = { model: 'fake', messages: [{ role: 'user', content }] }
  return thread.parse({
    endpoint: chatCompletionsDialect.endpoint,
    account: 'a',
    pieces: [new TextEncoder().encode(JSON.stringify(body))],
    findItem: () => undefined,
    signal,
  })
}

test('a body whose client disconnects while it waits is not parsed', async () => {
  const client = new AbortController()
  const first = parse('x'.repeat(1_000_000), new AbortController().signal)
  const gone = parse('y', client.signal)
  client.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect((await first).modelId).toBe('fake')
})
