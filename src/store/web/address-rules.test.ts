import { expect, test } from 'bun:test'
import { addressProblem, isPrivateHost } from './address-rules.ts'

const rules = { isInsecureAllowed: false, trustedOrigins: ['http://mirror.example'] }

function problem(address: string, from?: string, isInsecureAllowed = false): string | undefined {
  const url = new URL(address)
  const named = from === undefined ? undefined : { url: new URL(from), isPrivate: isPrivateHost(new URL(from), []) }
  return addressProblem(url, { ...rules, isInsecureAllowed }, { isPrivate: isPrivateHost(url, []), from: named })
}

test.each([
  ['https://hub.example/x', undefined, undefined],
  ['http://hub.example/x', undefined, 'is not encrypted: use https'],
  ['http://10.0.0.1/x', undefined, undefined],
  ['http://mirror.example/x', undefined, undefined],
  ['ftp://hub.example/x', undefined, 'is neither https nor http'],
  ['https://name:word@hub.example/x', undefined, 'holds a name or a password'],
  ['https://:word@hub.example/x', undefined, 'holds a name or a password'],
  ['file:///etc/passwd', 'https://hub.example', 'is neither https nor http'],
  ['http://store.example/x', 'https://hub.example', 'is not encrypted, and hub.example redirects there'],
  ['https://127.0.0.1/x', 'https://hub.example', 'is a private address, and hub.example redirects there'],
  ['https://[::1]/x', 'https://hub.example', 'is a private address'],
  ['https://[::ffff:192.168.1.1]/x', 'https://hub.example', 'is a private address'],
  ['https://[::ffff:93.184.216.34]/x', 'https://hub.example', undefined],
  ['https://169.254.169.254/x', 'https://hub.example', 'is a private address'],
  ['https://0.0.0.0/x', 'https://hub.example', 'is a private address'],
  ['https://localhost/x', 'https://hub.example', 'is a private address'],
  ['https://a.localhost/x', 'https://hub.example', 'is a private address'],
  ['https://2130706433/x', 'https://hub.example', 'is a private address'],
  ['http://mirror.example/x', 'https://hub.example', undefined],
  ['https://store.example/x', 'https://hub.example', undefined],
  ['http://127.0.0.1:1/x', 'http://127.0.0.1:2', undefined],
  ['https://hub.example/y', 'https://hub.example/x', undefined],
])('%s, named by %p: %p', (address, from, expected) => {
  const found = problem(address, from)
  if (expected === undefined) expect(found).toBeUndefined()
  else expect(found).toStartWith(expected)
  if (!address.startsWith('http') || address.includes('@')) return
  expect(problem(address, from, true)).toBeUndefined()
})

test('a name that stands for a private address is private', () => {
  expect(isPrivateHost(new URL('https://inside.example'), ['93.184.216.34', '10.1.2.3'])).toBe(true)
  expect(isPrivateHost(new URL('https://outside.example'), ['93.184.216.34'])).toBe(false)
})
