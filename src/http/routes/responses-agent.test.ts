/**
 * Streams as a strict coding agent reads them: it takes content from the done events, and every item must be
 * announced first.
 */
import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'
import firstTurn from '../../wire/responses/__fixtures__/agent-first-turn.json'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

interface AgentView {
  readonly items: readonly Record<string, unknown>[]
  readonly terminal: { readonly type: string; readonly response: Record<string, unknown> } | undefined
}

/** Sends the agent's first turn with a script as its question. Throws where the agent would give up. */
async function turn(...script: unknown[]): Promise<AgentView> {
  const question = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: JSON.stringify({ script }) }],
  }
  const response = await server.post('/v1/responses', {
    ...firstTurn,
    input: [...firstTurn.input.slice(0, -1), question],
  })
  expect(response.status).toBe(200)
  const items: Record<string, unknown>[] = []
  let active: string | undefined
  let terminal: AgentView['terminal']
  for (const [, data] of (await response.text()).matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data ?? '')
    if (terminal !== undefined) throw new Error(`${event.type} after the end`)
    if (event.type === 'response.output_item.added') active = event.item.id
    else if (event.type === 'response.output_item.done') {
      if (event.item.id !== active) throw new Error('done of an item that is not active')
      items.push(event.item)
      active = undefined
    } else if (event.type.endsWith('.delta') && event.item_id !== active) throw new Error('delta without active item')
    else if (/^response\.(completed|incomplete|failed)$/.test(event.type)) terminal = event
  }
  return { items, terminal }
}

test('edge case 34: thinking, text and calls are in the done events, with namespaces and marks', async () => {
  const { items, terminal } = await turn(
    { reasoning: 'I look.' },
    { delayMs: 20 },
    { text: 'Looking.' },
    { tool: { name: 'mcp__dict__look_up', arguments: ['{"word":"dog"}'] } },
    { tool: { name: 'apply_patch', arguments: ['{"input":"*** Begin', ' Patch"}'] } },
    { tool: { name: 'collaboration__spawn_agent', arguments: ['{"task_name":"a","message":"b"}'] } },
    { tool: { name: 'tool_search', arguments: ['{"query":"x"}'] } },
    { tool: { name: 'exec_command', arguments: [] } },
  )
  expect(items).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }], encrypted_content: expect.any(String) },
    { type: 'message', content: [{ type: 'output_text', text: 'Looking.' }] },
    { type: 'function_call', name: 'look_up', namespace: 'mcp__dict', arguments: '{"word":"dog"}' },
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', name: 'spawn_agent', namespace: 'collaboration', encrypted_function_args: [] },
    { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' } },
    { type: 'function_call', name: 'exec_command', arguments: '{}' },
  ])
  expect(terminal?.type).toBe('response.completed')
  expect(terminal?.response).toMatchObject({
    output: items,
    tools: firstTurn.tools,
    usage: { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 1 } },
  })
})

test('edge case 44: a tool that nobody offered is called all the same', async () => {
  const { items } = await turn({ tool: { name: 'shell2', arguments: ['{}'] } })
  expect(items).toMatchObject([{ type: 'function_call', name: 'shell2' }])
})

test('edge case 33: after a crash no item counts as done that was not, and the end is told', async () => {
  const { items, terminal } = await turn(
    { text: 'First.' },
    { tool: { name: 'exec_command', arguments: ['{"cmd":"rm -r'] } },
    { crash: 'exit' },
  )
  expect(items.map((item) => item.type)).toEqual(['message'])
  expect(terminal).toMatchObject({ type: 'response.failed', response: { error: { code: 'server_error' } } })
})
