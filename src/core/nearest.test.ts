import { expect, test } from 'bun:test'
import { nearest, suggestion } from './nearest.ts'

test('finds the name that was mistyped', () => {
  expect(nearest('paralel', ['port', 'parallel', 'preload'])).toBe('parallel')
  expect(nearest('Context_Token', ['context_tokens', 'batch_tokens'])).toBe('context_tokens')
})

test('finds nothing when every candidate is far away', () => {
  expect(nearest('zebra', ['port', 'parallel'])).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})

test('a suggestion lists what is known when nothing is close', () => {
  expect(suggestion('prot', ['port', 'host'])).toBe(' (did you mean "port"?)')
  expect(suggestion('zebra', ['port', 'host'])).toBe(' (known: port, host)')
})
