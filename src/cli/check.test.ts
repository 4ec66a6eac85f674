/** `inferd check`, and its effect on a running server. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { ableAnswers, type Fault } from '../testing/upstream/able-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/upstream/fake-upstream.ts'

const key = 'sk-of-the-server'
/** Address at which nothing listens. */
const down = 'http://127.0.0.1:9/v1'

let data = ''
let upstream: FakeUpstream

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'inferd-check-'))
  upstream = await startFakeUpstream({ flavor: 'vllm', key, contextTokens: 8192 })
  able()
})

afterEach(async () => {
  await upstream[Symbol.asyncDispose]()
  rmSync(data, { recursive: true })
})

function able(...faults: Fault[]): void {
  upstream.always = ableAnswers('vllm', faults)
}

function describe(endpoints: readonly string[], folder = data, more = ''): void {
  mkdirSync(join(folder, 'models.d'), { recursive: true })
  writeFileSync(join(folder, 'models.d', 'vllm.key'), `${key}\n`, { mode: 0o600 })
  const lines = ['id = "acme/big"', 'type = "vision"', 'engine = "upstream"', 'context_length = 8192', more]
  const able = ['[capabilities]', 'tools = true', 'reasoning = "toggle"', '[upstream]', 'flavor = "vllm"']
  const servers = ['model = "served"', `endpoints = ${JSON.stringify(endpoints)}`, 'key = { file = "vllm.key" }']
  writeFileSync(join(folder, 'models.d', 'big.toml'), [...lines, ...able, ...servers].join('\n'))
}

const check = (...words: string[]) => runCommand(['check', 'acme/big', ...words], { INFERD_DATA: data })

test('all that a server can is shown as a table', async () => {
  describe([upstream.url])
  const { code, out, error } = await check()
  expect(error).toBe('acme/big: 1 server will compute 10 small requests\n')
  expect(code).toBe(0)
  expect(out).toMatch(/^PROBE +127\.0\.0\.1:\d+\nreachable +yes\nkey accepted +yes\nmodel listed +yes\n/)
  expect(out).toMatch(/^pictures +yes$/m)
  expect(out).toEndWith('\ncontext: 8192 tokens\nNothing is refused.\n')
})

test('what is missing is named, with what to do, and its exit code', async () => {
  describe([upstream.url, down])
  able('calls as text', 'refuses pictures')
  const { code, out, error } = await check()
  const { host } = new URL(upstream.url)
  expect(out).toContain(
    `tools: calls come as text: no parser takes them out there; start it with --enable-auto-tool-choice --tool-call-parser NAME (${host})\n`,
  )
  expect(out).toContain('pictures: the server answers with the status 400 (it says: it cannot)')
  expect(out).toEndWith('Refused, or done another way, until the next check: tools, pictures.\n')
  expect(error).toEndWith(
    'inferd: acme/big lacks what its manifest promises: tools, pictures; mend the servers or the manifest\n',
  )
  expect(code).toBe(1)
  expect(out + error).not.toContain(key)
})

test('a server that is down is no failure of the manifest, and what is known of before stays', async () => {
  describe([upstream.url, down])
  expect((await check()).code).toBe(3)
  await upstream.stop()
  const { code, out, error } = await check('--json')
  expect(code).toBe(3)
  expect(error).toEndWith(
    'inferd: 2 servers of acme/big cannot be checked now: down or busy; check again when all work\n',
  )
  const { endpoints, isKept, lacks } = JSON.parse(out)
  expect({ isKept, lacks }).toEqual({ isKept: false, lacks: [] })
  expect(endpoints[1].url).toBe(down)
  expect(endpoints[1].results[0]).toMatchObject({ probe: 'reachable', word: 'no', isPromised: true })
  expect(endpoints[1].results[1]).toEqual({ probe: 'key accepted', word: 'not tried', isPromised: true })
})

test.each<[string[], number, string]>([
  [['inferd/starter-chat'], 1, 'no other server serves inferd/starter-chat: '],
  [['acme/bug'], 1, 'there is no model acme/bug (did you mean "acme/big"?)'],
  [['acme/big', '--timeout', 'x'], 2, '--timeout must be a whole number from 1 to 600'],
])('%j is refused', async (words, expected, problem) => {
  describe([upstream.url])
  const { code, error } = await runCommand(['check', ...words], { INFERD_DATA: data })
  expect(error).toContain(problem)
  expect(code).toBe(expected)
})

test('a running server shows and serves no more than was found, until the manifest changes', async () => {
  await using server = await startServedProcess()
  const folder = server.dataDir
  describe([upstream.url], folder)
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const shown = async () => {
    const answer = await fetch(`${server.baseUrl}/models/acme%2Fbig`, { headers })
    return ((await answer.json()) as { capabilities: object }).capabilities
  }
  const ask = async (parts: object) => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
    const body = JSON.stringify({ model: 'acme/big', messages, ...parts })
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', headers, body })
    const { error } = (await response.json()) as { error?: { code: string; param: string } }
    return [response.status, error?.code, error?.param]
  }
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } }
  expect(await shown()).toEqual({ tools: true, reasoning: 'toggle', vision: true })
  expect(await ask({ tools })).toEqual([200, undefined, undefined])
  able('refuses tools', 'ignores schemas', 'refuses pictures', 'always thinks', 'no log probabilities')
  const found = await runCommand(['check', 'acme/big', '--data', folder], {})
  expect(found.code).toBe(1)
  expect(existsSync(join(folder, 'checks', 'acme%2Fbig.json'))).toBe(true)
  expect(await shown()).toEqual({
    ...{ tools: false, reasoning: 'always', vision: false, structured_outputs: false, logprobs: false },
  })
  expect(await ask({ tools })).toEqual([400, 'unsupported_parameter', 'tools'])
  expect(await ask({ response_format })).toEqual([400, 'unsupported_parameter', 'response_format.json_schema.schema'])
  expect(await ask({ logprobs: true })).toEqual([400, 'unsupported_parameter', 'logprobs'])
  const image_url = { url: 'data:image/png;base64,AAAA' }
  const content = [{ type: 'image_url', image_url }]
  expect(await ask({ messages: [{ role: 'user', content }] })).toMatchObject([
    400,
    'unsupported_content',
    expect.anything(),
  ])
  expect(await ask({})).toEqual([200, undefined, undefined])
  const listed = JSON.parse((await runCommand(['list', '--json', '--data', folder], {})).out)
  const row = listed.find(({ id }: { id: string }) => id === 'acme/big')
  expect(row).toMatchObject({ capabilities: { tools: false, reasoning: 'always' } })
  expect(row.servers.lacks).toEqual(['tools', 'named-tools', 'schemas', 'logprobs', 'pictures', 'thinking-switch'])
  // Prices are not checked, so changing them keeps the note.
  describe([upstream.url], folder, 'pricing = { input = 1, output = 1, unit = "1M_tokens" }')
  expect(await shown()).toMatchObject({ tools: false })
  describe([upstream.url, down], folder)
  expect(await shown()).toEqual({ tools: true, reasoning: 'toggle', vision: true })
})
