import { describe, expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseResponses } from './parse-request.ts'
import { citationsIn } from './web-search.ts'

function parse(fields: object) {
  return parseResponses({ model: 'a', input: 'Hi', ...fields }).request
}

describe('max_tool_calls', () => {
  const tools = [{ type: 'web_search' }]

  test.each([
    [undefined, 8],
    [null, 8],
    [1, 1],
    [1e300, 8],
  ])('%p allows %i searches', (max_tool_calls, maxUses) => {
    expect(parse({ tools, max_tool_calls }).webSearch).toMatchObject({ maxUses })
  })

  test.each([0, -1, 1.5, '3', {}])('%p is refused beside a search, and ignored elsewhere', (max_tool_calls) => {
    expect(refusalOf(() => parse({ tools, max_tool_calls }))).toMatchObject({
      code: 'invalid_value',
      param: 'max_tool_calls',
    })
    expect(parse({ max_tool_calls })).toEqual(parse({}))
  })
})

const page = { url: 'https://a.example/x', title: 'X', snippet: '' }

describe('citations', () => {
  test.each([
    ['an address', 'See https://a.example/x.', [4]],
    ['at the end of a question', 'https://a.example/x? Yes.', [0]],
    ['in a link', '[X](https://a.example/x)', [4]],
    ['a longer address before it', 'https://a.example/x/y, https://a.example/x', [23]],
    ['longer addresses alone', 'https://a.example/x.html https://a.example/x?a=1 https://a.example/xy', []],
    ['twice', 'https://a.example/x https://a.example/x', [0]],
  ])('%s', (_, text, places) => {
    const cited: readonly { start_index?: number }[] = citationsIn(text, [page])
    expect(cited.map(({ start_index }) => start_index)).toEqual(places)
  })

  test('a page that two searches found is cited once', () => {
    expect(citationsIn('https://a.example/x', [page, page])).toHaveLength(1)
  })
})
