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
