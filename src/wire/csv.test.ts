import { expect, test } from 'bun:test'
import { csvLine } from './csv.ts'

test('text and amounts are written as they are, quoted where that is needed', () => {
  expect(
    csvLine(['a', -3.25, '-3.25', null, 'say "x"', 'a,b', 'a-b', '2026-11-27T00:00:00.000Z', 'a=b', 'org/m-1']),
  ).toBe('a,-3.25,-3.25,,"say ""x""","a,b",a-b,2026-11-27T00:00:00.000Z,a=b,org/m-1\r\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['+1+1', "'+1+1"],
  ['-1+1', "'-1+1"],
  ['-', "'-"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['\uff20a', "'\uff20a"],
  ['\u22121', "'\u22121"],
  ['\u200b=1+1', "'\u200b=1+1"],
  ['\u202e\ufeff =1', "'\u202e\ufeff =1"],
  [' =1+1', "' =1+1"],
  ['x;=1+1', `"x;'=1+1"`],
  ['x; \u2060=1+1', `"x;' \u2060=1+1"`],
  ['x;y', '"x;y"'],
  ['x|=1', `"x|'=1"`],
  ['x\uff1b=1', "x\uff1b'=1"],
  ['\ufb291', "'\ufb291"],
  ['\u2a75', "'\u2a75"],
  ['x\u037e=1', "x\u037e'=1"],
  ['x\ufe54=1', "x\ufe54'=1"],
  ['x\uff0c=1', "x\uff0c'=1"],
  ['"=1', `"'""=1"`],
  ['\tx', `"'\tx"`],
  ['a\n=1', `"a\n'=1"`],
])('%j is no formula: %j', (text, cell) => {
  expect(csvLine([text, 'end'])).toBe(`${cell},end\r\n`)
})
