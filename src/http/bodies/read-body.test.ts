import { expect, test } from 'bun:test'
import { readBody } from './read-body.ts'

test.each([
  ['waits for memory', () => new Promise<void>(() => undefined)],
  ['arrives', undefined],
])('a body whose client disconnects while it %s is given up', async (_, hold) => {
  const client = new AbortController()
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) })
  const request = new Request('http://localhost', { method: 'POST', body, signal: client.signal })
  const reading = readBody(request, { limitBytes: 100, timeoutMs: 60_000, ...(hold && { hold }) })
  client.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
})
