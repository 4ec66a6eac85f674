import { expect, test } from 'bun:test'
import { isLoopback } from './loopback.ts'

test('addresses of this machine alone are told from those that others reach', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com', '1127.0.0.1', 'example.com', '']) {
    expect(isLoopback(host)).toBe(false)
  }
})
