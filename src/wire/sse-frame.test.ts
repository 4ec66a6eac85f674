import { expect, test } from 'bun:test'
import { dataFrame } from './sse-frame.ts'

test('an event is one line for every client, whatever it takes for a line break', () => {
  const value = { text: 'a\u0085b\u2028c\u2029d\ne\rf\u000bg\u001ch' }
  const frame = dataFrame(value)
  const lineBreaks = [...'\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029']
  expect(lineBreaks.filter((lineBreak) => frame.slice(0, -2).includes(lineBreak))).toEqual([])
  expect(JSON.parse(frame.slice('data: '.length))).toEqual(value)
})
