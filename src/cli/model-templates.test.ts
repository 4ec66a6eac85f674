/** GGUF files with every kind of chat template, imported and served by a real server. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TinyGgufOptions, tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { shippedTemplate } from '../testing/template-models.ts'

// Each import starts a child process that loads the model.
setDefaultTimeout(60_000)

let folder = ''
let server: ServedProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-templates-'))
  server = await startServedProcess()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

let files = 0
function writeModel(chatTemplate: TinyGgufOptions['chatTemplate']): string {
  const path = join(folder, `${files++}.gguf`)
  writeFileSync(path, tinyGguf({ contextTokens: 2048, ...(chatTemplate !== undefined && { chatTemplate }) }))
  return path
}

function importModel(path: string, id: string) {
  return runCommand(['import', path, '--id', id, '--data', server.dataDir], {})
}

async function post(path: string, body: object) {
  const response = await fetch(new URL(path, server.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: Object(await response.json()) }
}

async function capabilitiesOf(id: string) {
  const response = await fetch(new URL(`/v1/models/${id}`, server.baseUrl))
  const listed = Object(await response.json())
  const shown = await post('/api/show', { model: id })
  return { listed: listed.capabilities, shown: shown.body.capabilities }
}

test.each([
  ['of-ollama', '{{ if .System }}x{{ end }}', 'does not show what a user says'],
  ['cut', '{% for message in messages %}<|im_start|>{{ mess', 'Expected }}'],
  ['refusing', "{{ raise_exception('not today') }}", 'not today'],
  ['odd-filter', '{{ messages | frobnicate }}', 'frobnicate'],
])('a template that is %s is told of at import, and chats and texts are answered', async (name, jinja, problem) => {
  const id = `broken/${name}`
  const { code, out, error } = await importModel(writeModel({ jinja }), id)
  expect({ code, error }).toEqual({ code: 0, error: expect.any(String) })
  expect(out + error).toContain("the model's chat template is broken (")
  expect(out + error).toContain(problem)
  expect(out + error).toContain('so chats use ChatML')
  const limit = { model: id, max_tokens: 3 }
  const chat = await post('/v1/chat/completions', { ...limit, messages: [{ role: 'user', content: 'Hi' }] })
  expect(chat.status).toBe(200)
  expect((await post('/v1/completions', { ...limit, prompt: 'Hi' })).status).toBe(200)
})

test.each<[template: string, capabilities: object, shown: readonly string[]]>([
  ['Qwen-Qwen3-0.6B', { tools: true, reasoning: 'toggle', vision: false }, ['completion', 'tools', 'thinking']],
  ['openai-gpt-oss-120b', { tools: true, reasoning: 'effort' }, ['completion', 'tools', 'thinking']],
  ['Qwen-Qwen2.5-7B-Instruct', { tools: true, reasoning: 'none' }, ['completion', 'tools']],
  ['google-gemma-2-2b-it', { tools: false, reasoning: 'none' }, ['completion']],
])('the capabilities of %s are read from its template', async (template, capabilities, shown) => {
  const id = `templates/${template}`
  expect((await importModel(writeModel({ jinja: shippedTemplate(template) }), id)).code).toBe(0)
  expect(await capabilitiesOf(id)).toEqual({ listed: expect.objectContaining(capabilities), shown })
})

test('they are those of a file that a manifest names too, which may say others', async () => {
  const path = writeModel({ jinja: shippedTemplate('Qwen-Qwen3-0.6B') })
  const manifests = join(server.dataDir, 'models.d')
  mkdirSync(manifests, { recursive: true, mode: 0o700 })
  const manifest = (id: string, ...more: string[]) =>
    writeFileSync(
      join(manifests, `${id.replace('/', '-')}.toml`),
      [
        `id = "${id}"`,
        'type = "chat"',
        'engine = "llama"',
        ...more,
        '[[files]]',
        'role = "model"',
        `path = "${path}"`,
        '',
      ].join('\n'),
    )
  manifest('own/plain')
  manifest('own/other', 'capabilities = { tools = false }')
  expect(await capabilitiesOf('own/plain')).toEqual({
    listed: expect.objectContaining({ tools: true, reasoning: 'toggle' }),
    shown: ['completion', 'tools', 'thinking'],
  })
  expect(await capabilitiesOf('own/other')).toEqual({
    listed: expect.objectContaining({ tools: false, reasoning: 'toggle' }),
    shown: ['completion', 'thinking'],
  })
})

test('a file without a template calls nothing and does not think', async () => {
  expect((await importModel(writeModel('none'), 'templates/none')).code).toBe(0)
  expect(await capabilitiesOf('templates/none')).toEqual({
    listed: expect.objectContaining({ tools: false, reasoning: 'none' }),
    shown: ['completion'],
  })
})
