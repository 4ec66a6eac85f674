import { expect, test } from 'bun:test'
import { clientAddressReader } from './client-address.ts'

const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1']

test.each([
  // without trusted proxies the header is ignored
  [[], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  [[], '::ffff:203.0.113.9', null, '203.0.113.9'],
  [[], '2001:DB8:0:0::1', null, '2001:db8::1'],
  [trusted, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  // a trusted proxy's header counts
  [trusted, '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  [trusted, '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [trusted, '::1', '2001:db8::7', '2001:db8::7'],
  [trusted, '127.0.0.1', null, '127.0.0.1'],
  // entries that a client adds in front do not count
  [trusted, '127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  [trusted, '127.0.0.1', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
  [trusted, '127.0.0.1', '10.2.2.2, 10.9.9.9', '10.2.2.2'],
  // forms
  [trusted, '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  [trusted, '127.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  [trusted, '127.0.0.1', 'unknown', '127.0.0.1'],
  [trusted, '127.0.0.1', '198.51.100.1, nonsense', '127.0.0.1'],
  [trusted, '127.0.0.1', '', '127.0.0.1'],
  [trusted, undefined, '198.51.100.1', 'unknown'],
])('of %p, from %p, forwarded for %p: %p', (proxies, peer, forwardedFor, expected) => {
  expect(clientAddressReader(proxies)(peer, forwardedFor)).toBe(expected)
})
