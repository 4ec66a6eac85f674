import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from './image-address.ts'

test.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ...['0.0.0.0', '0.1.2.3', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.255'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['168.63.129.16'],
  ...['::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', '2002:0808:0808::', '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254'],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', '4000::1', 'a000::1'],
  ...['', 'localhost', '8.8.8', 'x'],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test("no address of this machine's own is public", () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
  expect(own.filter(isPublicAddress)).toEqual([])
})
