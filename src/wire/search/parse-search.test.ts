import { expect, test } from 'bun:test'
import type { SearchOutcome } from '../../core/web-search.ts'
import { refusalOf } from '../../testing/refusal.ts'
import { parseSearch, toSearchAnswer } from './parse-search.ts'

/** A search as a coding agent sends it, with the end of its conversation. */
const sent = {
  id: '01a21f34-7856-7e42-9d76-606df40e438f',
  model: 'agent',
  input: [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'What is the capital of Norway?' }],
      internal_chat_message_metadata_passthrough: { turn_id: 'a', content_item_kinds: ['user.text'] },
    },
  ],
  commands: { search_query: [{ q: 'capital of Norway' }] },
  settings: { allowed_callers: ['direct'], external_web_access: true },
  max_output_tokens: 2_500,
}

test("an agent's search is read", () => {
  expect(parseSearch(sent)).toEqual({
    model: 'agent',
    queries: [
      { text: 'capital of Norway', recencyDays: undefined, allowedDomains: undefined, blockedDomains: undefined },
    ],
    otherCommands: [],
    maxOutputTokens: 2_500,
  })
})

test("a query's own domains come before the settings', and blank queries are left out", () => {
  const filters = { allowed_domains: ['a.example'], blocked_domains: ['b.example'] }
  const search_query = [{ q: ' x ', recency: 3, domains: ['c.example'] }, { q: 'y', domains: [] }, { q: ' ' }]
  const { queries } = parseSearch({ commands: { search_query, open: [], find: [{}] }, settings: { filters } })
  expect(queries).toEqual([
    { text: 'x', recencyDays: 3, allowedDomains: ['c.example'], blockedDomains: ['b.example'] },
    { text: 'y', recencyDays: undefined, allowedDomains: ['a.example'], blockedDomains: ['b.example'] },
  ])
})

test.each([
  ['a list', [], undefined],
  ['a model that is no text', { model: 3 }, 'model'],
  ['commands that are no object', { commands: 'a' }, 'commands'],
  ['queries that are no list', { commands: { search_query: 'a' } }, 'commands.search_query'],
  ['nine queries', { commands: { search_query: Array(9).fill({ q: 'a' }) } }, 'commands.search_query'],
  ['a query without words', { commands: { search_query: [{}] } }, 'commands.search_query[0].q'],
  ['a long query', { commands: { search_query: [{ q: 'x'.repeat(1_001) }] } }, 'commands.search_query[0].q'],
  ['an odd age', { commands: { search_query: [{ q: 'a', recency: -1 }] } }, 'commands.search_query[0].recency'],
  [
    'domains that are no texts',
    { commands: { search_query: [{ q: 'a', domains: [1] }] } },
    'commands.search_query[0].domains[0]',
  ],
  ['settings that are no object', { settings: 1 }, 'settings'],
  ['filters with odd domains', { settings: { filters: { blocked_domains: {} } } }, 'settings.filters.blocked_domains'],
  ['no tokens', { max_output_tokens: 0 }, 'max_output_tokens'],
])('%s is refused', (_, body, param) => {
  expect(refusalOf(() => parseSearch(body))).toMatchObject({ kind: 'invalid_request', param })
})

const outcome: SearchOutcome = {
  type: 'results',
  results: [{ title: 'Oslo', url: 'https://a.example/', snippet: 'Yes.' }],
}

test('the answer is text within its tokens, which says what was not done', () => {
  const call = parseSearch({ ...sent, commands: { ...sent.commands, finance: [{ ticker: 'A' }] } })
  expect(toSearchAnswer(call, [outcome])).toEqual({
    output:
      "# capital of Norway\n\n[1] Oslo\nhttps://a.example/\nYes.\n\n'finance' is not done here: this server only searches, and opens no page.",
  })
  expect(toSearchAnswer({ ...call, maxOutputTokens: 2 }, [outcome])).toEqual({ output: '# capita' })
  expect(toSearchAnswer(parseSearch({}), [])).toEqual({ output: 'There was nothing to search for.' })
})
