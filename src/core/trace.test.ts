import { expect, test } from 'bun:test'
import { readBoxes, readRequestId, traceHeaders } from './trace.ts'

test.each([
  ['req_0aZ', 'req_0aZ'],
  ['4bf92f35-77b3.4da6:a_1', '4bf92f35-77b3.4da6:a_1'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), undefined],
  ['', undefined],
  ['a b', undefined],
  ['a\nlevel=error', undefined],
  ['{"a":1}', undefined],
  ['é', undefined],
  [null, undefined],
])('an id that a caller sends: %j', (sent, read) => expect(readRequestId(sent)).toBe(read as string))

test.each([
  ['a', ['a']],
  ['a,B2', ['a', 'B2']],
  ['a, b', []],
  [',a', []],
  ['', []],
  [null, []],
  [Array(32).fill('a').join(','), Array(32).fill('a')],
  [Array(33).fill('a').join(','), []],
])('boxes that a request came through: %j', (sent, read) => expect(readBoxes(sent)).toEqual(read))

test('a box that passes a request on adds itself', () => {
  const headers = traceHeaders({ requestId: 'req_1', boxes: ['a'] }, 'b')
  expect(headers).toEqual({ 'x-request-id': 'req_1', 'x-inferd-boxes': 'a,b' })
  expect(readBoxes(headers['x-inferd-boxes'] ?? '')).toEqual(['a', 'b'])
})
