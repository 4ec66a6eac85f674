import { expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { startRelay } from './relay.ts'

test('each server behind knows its clients, though the system gives one port to connections with several', async () => {
  // Many enough that some ports are used twice.
  const [servers, clientsEach] = [80, 20]
  const count = servers * clientsEach
  const received = Promise.withResolvers<void>()
  const accepted: { readonly targetPort: number; readonly relayPort: number }[] = []
  await using open = new AsyncDisposableStack()
  const targets = Array.from({ length: servers }, () =>
    Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          accepted.push({ targetPort: socket.localPort, relayPort: socket.remotePort })
          if (accepted.length === count) received.resolve()
        },
      },
    }),
  )
  for (const target of targets) open.defer(() => target.stop(true))
  let next = 0
  const relay = startRelay({
    hostname: '127.0.0.1',
    port: 0,
    targetOf: () => ({ port: targets[next++ % servers]?.port ?? 0 }),
  })
  open.defer(() => relay.stop())
  const socket = { open: (opened: Socket) => void opened.write('x'), data: () => undefined }
  const connectOne = () => Bun.connect({ hostname: '127.0.0.1', port: relay.port, socket })
  await Promise.all(Array.from({ length: count }, connectOne))
  await received.promise
  const used = new Set(accepted.map(({ relayPort }) => relayPort))
  expect(used.size).toBeLessThan(count)
  const peers = accepted.map(({ targetPort, relayPort }) => relay.peerOf(targetPort, relayPort))
  expect(new Set(peers)).toEqual(new Set(['127.0.0.1']))
  expect(new Set(accepted.map(({ relayPort }) => relay.peerOf(relay.port, relayPort)))).toEqual(new Set([undefined]))
})

/** Program that listens and accepts nothing. */
const fullServer = `
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

test('a relay takes little from a client while its server reads nothing, or takes no connection yet', async () => {
  await using open = new AsyncDisposableStack()
  const paused = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.pause(), data: () => undefined },
  })
  open.defer(() => paused.stop(true))
  const child = Bun.spawn([process.execPath, '-e', fullServer], { stdout: 'pipe' })
  open.defer(() => child.kill('SIGKILL'))
  const { value } = await child.stdout.getReader().read()
  const fullPort = Number(new TextDecoder().decode(value))
  // More than the 512 for which the kernel has room.
  for (let index = 0; index < 600; index++) {
    const connecting = Bun.connect({ hostname: '127.0.0.1', port: fullPort, socket: { data: () => undefined } })
    connecting.catch(() => undefined) // It ends with the program.
  }
  for (const port of [paused.port, fullPort]) expect(await takenBy(port)).toBeLessThan(32)
})

/** Returns how many megabytes a client gets rid of by a relay to a port, of 64. */
async function takenBy(port: number): Promise<number> {
  const relay = startRelay({ hostname: '127.0.0.1', port: 0, targetOf: () => ({ port }) })
  const client = await Bun.connect({ hostname: '127.0.0.1', port: relay.port, socket: { data: () => undefined } })
  const piece = Buffer.alloc(1_000_000, 'x')
  let bytes = client.write('POST / HTTP/1.1\r\n\r\n')
  // The relay reads in the same loop of events, so after many turns without room it reads no more.
  for (let stuck = 0; stuck < 200 && bytes < 64 * piece.length; stuck++) {
    const sent = Math.max(0, client.write(piece))
    if (sent > 0) stuck = 0
    bytes += sent
    await new Promise((resolve) => setImmediate(resolve))
  }
  client.terminate()
  relay.stop()
  return bytes / 1_000_000
}
