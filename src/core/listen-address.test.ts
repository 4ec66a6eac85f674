import { expect, test } from 'bun:test'
import { adminBase, isLoopback, listenProblem, localOrigin, sshForward } from './listen-address.ts'

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: it went wrong`), { code })
}

test.each([
  ['EADDRINUSE', '127.0.0.1', 80, 'the port is in use; choose another with --port, 0 picks a free one'],
  // The runtime reports this code for names that do not resolve, too.
  [
    'EADDRINUSE',
    'no.such.name',
    80,
    'the port is in use, or this machine has no such address; choose another with --port or --host',
  ],
  ['EADDRINUSE', 'no.such.name', 0, 'this machine has no such address; choose another with --host'],
  [
    'EACCES',
    '127.0.0.1',
    80,
    'ports below 1024 are for root and who has CAP_NET_BIND_SERVICE; choose another with --port',
  ],
  ['EACCES', '127.0.0.1', 8080, 'EACCES: it went wrong; choose another with --host or --port'],
  ['EADDRNOTAVAIL', '192.0.2.7', 8080, 'this machine has no such address; choose another with --host'],
  ['EAFNOSUPPORT', '::1', 8080, 'this machine has no such address; choose another with --host'],
  ['ENOENT', '999.1.1.1', 8080, 'this machine has no such address; choose another with --host'],
  ['EMFILE', '127.0.0.1', 8080, 'EMFILE: it went wrong; choose another with --host or --port'],
])('%s on %s port %d: %p', (code, host, port, text) => {
  expect(listenProblem(failure(code), { host, port })).toBe(`cannot listen on ${host} port ${port}: ${text}`)
})

test('addresses that only this machine reaches are told from others', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com', '1127.0.0.1', 'example.com', '']) {
    expect(isLoopback(host)).toBe(false)
  }
})

test.each([
  [{ admin: 'loopback' }, '0.0.0.0', 'http://127.0.0.1:11500'],
  [{ admin: 'loopback', publicUrl: 'https://ai.example.com' }, '127.0.0.1', 'http://127.0.0.1:11500'],
  [{ admin: 'loopback' }, '::', 'http://[::1]:11500'],
  [{ admin: 'loopback' }, '192.0.2.7', 'http://192.0.2.7:11500'],
  [{ admin: 'network', publicUrl: 'https://ai.example.com' }, '0.0.0.0', 'https://ai.example.com'],
  [{ admin: 'network' }, '0.0.0.0', 'http://127.0.0.1:11500'],
  [{ admin: 'off', publicUrl: 'https://ai.example.com' }, '127.0.0.1', undefined],
] as const)('a link to the operator’s pages with %j and --host %s begins with %p', (reach, host, base) => {
  expect(adminBase(reach, { host, port: 11500 })).toBe(base)
})

test('the command that forwards names an address that answers', () => {
  expect(sshForward('box', { host: '0.0.0.0', port: 80 })).toBe('ssh -L 80:127.0.0.1:80 box')
  expect(sshForward('box', { host: '192.0.2.7', port: 80 })).toBe('ssh -L 80:192.0.2.7:80 box')
})

test('a port for programs of Ollama that is taken is perhaps Ollama’s', () => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
  expect(listenProblem(taken, { host: '127.0.0.1', port: 11434 }, '--ollama-port')).toBe(
    'cannot listen on 127.0.0.1 port 11434: the port is in use, perhaps by Ollama; stop that, or choose another with --ollama-port, 0 picks a free one',
  )
})

test('beside TLS, programs of this machine find an address that the server listens on', () => {
  const origins = ['::', '[::1]', '::1', '127.0.0.2', '0.0.0.0', '10.0.0.1'].map((host) =>
    localOrigin({ host, port: 1 }),
  )
  const [six, four] = ['http://[::1]:1', 'http://127.0.0.1:1']
  expect(origins).toEqual([six, six, six, 'http://127.0.0.2:1', four, four])
})
