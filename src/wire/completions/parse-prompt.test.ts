import { expect, test } from 'bun:test'
import { parsePrompts } from './parse-prompt.ts'

test('half characters of both sides of a gap become replacement characters', () => {
  expect(parsePrompts(['a\ud800', 'b'], '\udc00c')).toEqual([
    { kind: 'fill', prefix: 'a\ufffd', suffix: '\ufffdc', param: 'prompt[0]' },
    { kind: 'fill', prefix: 'b', suffix: '\ufffdc', param: 'prompt[1]' },
  ])
})

test('texts and token ids may stand side by side', () => {
  expect(parsePrompts(['a\ud800', [1, 2]], '')).toEqual([
    { kind: 'text', text: 'a\ufffd', param: 'prompt[0]' },
    { kind: 'tokens', tokens: [1, 2], param: 'prompt[1]' },
  ])
})
