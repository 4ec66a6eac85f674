import { heapStats } from 'bun:jsc'
import { afterAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { RequestRecord } from '../../core/request-record.ts'
import { endedRecord } from '../../testing/ended-record.ts'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer({ config: { idleTimeoutSeconds: 1 } })
afterAll(() => server[Symbol.asyncDispose]())
server.stores.accounts.setPasswordHash(server.accountId, 'no hash')

/** Opens a page's stream, which is read until its socket is paused. */
async function open(): Promise<{ readonly socket: Socket; readonly count: { bytes: number } }> {
  const { hostname, port, host } = new URL(server.url)
  const session = server.stores.sessions.begin(server.accountId, { hasRoleRights: true })
  const socket = connect({ host: hostname, port: Number(port) })
  const head = ['GET /admin/api/events?topics=request,rates HTTP/1.1', `Host: ${host}`]
  socket.write([...head, `Cookie: inferd_session=${session}`, '', ''].join('\r\n'))
  const count = { bytes: 0 }
  const begun = Promise.withResolvers<void>()
  socket.on('error', begun.reject)
  socket.on('data', ({ length }) => {
    count.bytes += length
    begun.resolve()
  })
  await begun.promise
  return { socket, count }
}

let ended = 0
/** Returns the record of an ended request, of about the greatest length. */
const line = (): RequestRecord => ({
  ...endedRecord,
  requestId: `req_${ended++}`,
  ...{ accountId: server.accountId, method: 'POST', path: '/v1/chat/completions', endpoint: 'chat/completions' },
  ...{ model: 'test/fake', status: 502, durationMs: 800, cause: new Error('x'.repeat(400)) },
})

function heapBytes(): number {
  Bun.gc(true)
  return heapStats().heapSize
}

test('eight pages follow thousands of requests; of these those that do not read are dropped and cost no memory', async () => {
  const pages = await Promise.all(Array.from({ length: 8 }, open))
  const [reading, ...others] = pages
  // Only the first page keeps reading.
  for (const { socket } of others) socket.pause()
  const before = heapBytes()
  while (ended < 30_000) {
    for (let count = 0; count < 200; count++) server.requests.end(line())
    await setImmediate()
  }
  const dropped = new Set<RequestRecord>()
  while (dropped.size < others.length) {
    dropped.add(await server.line((each) => each.path === '/admin/api/events' && !dropped.has(each)))
  }
  expect([...dropped].every(({ isAborted }) => isAborted === true)).toBe(true)
  expect(reading?.count.bytes).toBeGreaterThan(100_000)
  // The server keeps the latest thousand requests only.
  expect(heapBytes() - before).toBeLessThan(20e6)
  for (const { socket } of pages) socket.destroy()
}, 90_000)
