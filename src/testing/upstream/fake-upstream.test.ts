import { expect, test } from 'bun:test'
import { upstreamFlavors } from '../../core/upstream.ts'
import { bodyProblem } from './check-body.ts'
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'

const user = { role: 'user', content: 'Hi there' }
const minimal = { model: 'served', messages: [user], stream: true, max_tokens: 9 }

function post(upstream: FakeUpstream, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), signal })
}

test.each([...upstreamFlavors])('a %s server plays the script as a stream, and tells its model', async (flavor) => {
  await using upstream = await startFakeUpstream({ flavor })
  const script = [{ reasoning: 'Hm.' }, { text: 'Hello' }, { tool: { name: 'look', arguments: ['{}'] } }]
  const content = JSON.stringify({ script, finish: 'tool-calls', promptTokens: 7 })
  const response = await post(upstream, { ...minimal, messages: [{ role: 'user', content }] })
  const text = await response.text()
  expect(text).toContain('"content":"Hello"')
  expect(text).toContain('"finish_reason":"tool_calls"')
  expect(text).toEndWith('data: [DONE]\n\n')
  expect(upstream.problems).toEqual([])
  const models = await fetch(`${upstream.url}/models`).then((response) => response.text())
  expect(models).toContain('"id":"served"')
})

test('usage comes on each chunk where that is asked for', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  const options = { include_usage: true, continuous_usage_stats: true }
  const text = await post(upstream, { ...minimal, stream_options: options }).then((response) => response.text())
  expect([...text.matchAll(/"completion_tokens":(\d)/g)].map(([, tokens]) => tokens)).toEqual(['0', '1', '2', '2', '2'])
})

test('what a server refuses is told', () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }]
  expect(bodyProblem('vllm', '/chat/completions', minimal)).toBeUndefined()
  expect(bodyProblem('vllm', '/chat/completions', { ...minimal, tools: [] })).toContain('/tools')
  expect(bodyProblem('trtllm', '/chat/completions', { ...minimal, made_up: 1 })).toContain('/made_up')
  expect(bodyProblem('vllm', '/chat/completions', { ...minimal, top_logprobs: 2 })).toContain('top_logprobs')
  expect(bodyProblem('openai', '/chat/completions', { ...minimal, tool_choice: 'auto' })).toContain('tools')
  const logprobs = { ...minimal, tools, logprobs: true }
  expect(bodyProblem('llamacpp', '/chat/completions', logprobs)).toContain('logprobs')
  expect(bodyProblem('vllm', '/chat/completions', logprobs)).toBeUndefined()
})

test('a client that leaves is seen at once', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  const content = JSON.stringify({ script: [{ text: 'One' }, { waitForCancel: true }] })
  const controller = new AbortController()
  const response = await post(upstream, { ...minimal, messages: [{ role: 'user', content }] }, controller.signal)
  await response.body?.getReader().read()
  const { exchange } = await upstream.record(0)
  const leftAtMs = performance.now()
  controller.abort()
  expect((await exchange.closedAtMs) - leftAtMs).toBeLessThan(1000)
})

test('an answer is cut after any byte, and a server that was stopped listens again at its address', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.queue.push((exchange, play) => {
    exchange.cutAfterBytes = 200
    return play()
  })
  const read = () => post(upstream, minimal).then((response) => response.text())
  expect(await read().catch(String)).not.toContain('[DONE]')
  expect(upstream.records[0]?.exchange.isClosed).toBeTrue()
  await upstream.stop()
  expect(await read().catch(() => 'failed')).toBe('failed')
  await upstream.start()
  expect(await read()).toContain('[DONE]')
})
