import { afterAll, expect, test } from 'bun:test'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

/** Sends the head of a request and resolves with all that came back, headers included. */
async function answerTo(...lines: string[]): Promise<string> {
  const { socket, closed } = await openRaw(server.url)
  socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)
  const text = await closed()
  socket.destroy()
  return text
}

test.each(['gpu', 'ai', 'box', 'a', 'a:1', 'x:8080', '[::1]', 'ai.example'])(
  'every route is there under the host %s',
  async (host) => {
    for (const path of ['/health', '/', '/v1/models', '/openai/v1/models/test/fake', '/v1/models?a=/b']) {
      expect(await answerTo(`GET ${path} HTTP/1.1`, `host: ${host}`)).toStartWith('HTTP/1.1 200 ')
    }
    expect(await answerTo('POST /v1/chat/completions HTTP/1.1', `host: ${host}`, 'content-length: 0')).toContain(
      'missing_api_key',
    )
  },
)
