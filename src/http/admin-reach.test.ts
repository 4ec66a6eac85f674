import { expect, test } from 'bun:test'
import { isLocal } from './admin-reach.ts'

function isLocalFrom(peerAddress: string | undefined, host: string, headers: Record<string, string> = {}): boolean {
  const request = new Request('http://box/admin', { headers })
  return isLocal({ request, peerAddress, services: { config: { host } } })
}

test.each([
  ['127.0.0.1', '0.0.0.0', true],
  ['127.8.9.10', '0.0.0.0', true],
  ['::1', '::', true],
  ['::ffff:127.0.0.1', '::', true],
  ['192.168.1.7', '192.168.1.7', true],
  ['::ffff:192.168.1.7', '192.168.1.7', true],
  ['192.168.1.8', '192.168.1.7', false],
  ['192.168.1.7', '0.0.0.0', false],
  ['10.0.0.1', '127.0.0.1', false],
  ['fe80::1', '::', false],
  ['0.0.0.0', '127.0.0.1', false],
  ['unix', '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
])('a client at %p of a server that listens on %s: on this machine %p', (peerAddress, host, expected) => {
  expect(isLocalFrom(peerAddress, host)).toBe(expected)
})

test.each([
  ...['Forwarded', 'Via', 'X-Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'],
  ...['X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP'],
])('what a proxy has forwarded, with %s, is from elsewhere', (name) => {
  expect(isLocalFrom('127.0.0.1', '127.0.0.1', { [name]: '127.0.0.1' })).toBe(false)
})
