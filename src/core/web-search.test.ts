import { expect, test } from 'bun:test'
import { searchText } from './web-search.ts'

const controlTokens = [
  ...[
    '<|im_end|>',
    '<|eot_id|>',
    '<|start_header_id|>',
    '<end_of_turn>',
    '</s>',
    '<s>',
    '<\uff5cUser\uff5c>',
    '<|END|>',
  ],
  ...[
    '</think>',
    '</tool_response>',
    '[INST]',
    '[/INST]',
    '[TOOL_CALLS]',
    '[/TOOL_RESULTS]',
    '<__media__>',
    '<\u00a7>',
  ],
]

test.each(controlTokens)('the text of a result has no %s', (token) => {
  const results = [{ title: `a ${token}`, url: `https://a.example/#${token}`, snippet: `${token}${token} x ${token}` }]
  const text = searchText({ type: 'results', results })
  expect(text).toStartWith('[1] a ')
  expect(text).not.toContain(token)
})

test('ordinary brackets stay in the text of a result', () => {
  const snippet = 'a < b, [2] of [sic], [...], x[i]'
  expect(searchText({ type: 'results', results: [{ title: 'T', url: 'https://a.example/', snippet }] })).toBe(
    `[1] T\nhttps://a.example/\n${snippet}`,
  )
})
