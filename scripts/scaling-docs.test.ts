/** Checks that docs/scaling.md is right: its manifests serve, and its commands work. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseManifest } from '../src/catalog/parse-manifest.ts'
import type { ModelManifest } from '../src/core/model.ts'
import { type UpstreamServers, upstreamFlavors } from '../src/core/upstream.ts'
import { runCommand } from '../src/testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../src/testing/served-process.ts'
import { ableAnswers } from '../src/testing/upstream/able-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../src/testing/upstream/fake-upstream.ts'

const page = readFileSync(join(import.meta.dir, '../docs/scaling.md'), 'utf8')
const key = 'sk-of-the-upstream-servers'

interface Example {
  readonly toml: string
  readonly manifest: ModelManifest & { readonly upstream: UpstreamServers }
}

const folder = join(import.meta.dir, '../docs/manifests')
const inFiles = [...page.matchAll(/\]\(manifests\/([\w-]+\.toml)\)/g)].map(([, name = '']) =>
  readFileSync(join(folder, name), 'utf8'),
)
const inPage = [...page.matchAll(/^```toml\n(.*?)^```$/gms)].map(([, toml = '']) => toml)
const examples = [...inPage, ...inFiles].map((toml): Example => {
  const manifest = parseManifest('docs/scaling.md', Bun.TOML.parse(toml), 'operator')
  if (manifest.upstream === undefined) throw new Error(`${manifest.id} names no servers`)
  return { toml, manifest: { ...manifest, upstream: manifest.upstream } }
})

/** Lines that run inferd, without the shell's words before and after it. */
const commands = [...page.matchAll(/^ {4}(?:[A-Z_]+=\S+ )?inferd (.+)$/gm)].map(([, line = '']) =>
  line.replace(/ +(?:>|#).*$/, '').trim(),
)

let front: ServedProcess
const upstreams: FakeUpstream[] = []
/** Addresses in this test of the page's endpoints, by model. */
const places = new Map<string, string>()

beforeAll(async () => {
  front = await startServedProcess([], { VLLM_KEY: key })
  const folder = join(front.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  for (const [index, { toml, manifest }] of examples.entries()) {
    let text = toml
    for (const endpoint of manifest.upstream.endpoints) {
      const upstream = await startUpstream(manifest)
      upstreams.push(upstream)
      text = text.replace(endpoint, upstream.url)
      places.set(`${manifest.id} ${new URL(endpoint).host}`, `${manifest.id} ${new URL(upstream.url).host}`)
    }
    const { key: keyOf } = manifest.upstream
    if (keyOf !== undefined && 'file' in keyOf) writeFileSync(join(folder, keyOf.file), `${key}\n`, { mode: 0o600 })
    writeFileSync(join(folder, `${index}.toml`), text)
  }
})

afterAll(async () => {
  await front[Symbol.asyncDispose]()
  for (const upstream of upstreams) await upstream[Symbol.asyncDispose]()
})

async function startUpstream(manifest: Example['manifest']): Promise<FakeUpstream> {
  const { upstream, type, dimensions, contextLength = 0 } = manifest
  const { flavor, model } = upstream
  const keyOf = upstream.key !== undefined && { key }
  const started = await startFakeUpstream({ flavor, model, contextTokens: contextLength, ...keyOf })
  started.always = ableAnswers(flavor, [])
  if (type === 'embedding') {
    const embedding = Array.from({ length: dimensions ?? 0 }, () => 1)
    const usage = { prompt_tokens: 3, total_tokens: 3 }
    started.always = (exchange) => {
      const { input } = exchange.json() as { input: readonly unknown[] } // as this server asks
      return exchange.answer(200, { data: input.map((_, index) => ({ index, embedding })), usage })
    }
  }
  return started
}

test('there is a manifest for each kind of server but those that are of no kind', () => {
  const shown = new Set(examples.map(({ manifest }) => manifest.upstream.flavor))
  expect(upstreamFlavors.filter((flavor) => !shown.has(flavor))).toEqual(['openai'])
})

test.each(examples)('$manifest.id is served', async ({ manifest: { id, type } }) => {
  const [path, body] =
    type === 'embedding'
      ? ['/embeddings', { input: 'Hello' }]
      : ['/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }]
  const response = await fetch(front.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: id, ...body }),
  })
  expect({ status: response.status, body: response.status === 200 ? '' : await response.text() }).toEqual({
    status: 200,
    body: '',
  })
  expect(upstreams.flatMap(({ problems }) => problems)).toEqual([])
})

test.each([...new Set(commands)].map((line) => [line]))('inferd %s', async (line) => {
  let shown = line
  for (const [named, here] of places) shown = shown.replace(named, here)
  const words = [...shown.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const { code, out, error } = await run(words)
  expect({ code, error: code === 0 ? '' : error, problems: out.match(/^PROBLEM .*endpoint.*$/gm) ?? [] }).toEqual({
    code: 0,
    error: '',
    problems: [],
  })
})

/**
 * Runs a command of the page. Asks the running server, shows the settings of one that would start, and restores into a
 * separate folder.
 */
async function run([command = '', ...words]: readonly string[]) {
  const data = front.dataDir
  if (command === 'serve') return runCommand(['config', ...words], { INFERD_DATA: data })
  const inData = words.map((word) => (word.startsWith('/media/') ? join(data, 'kept-elsewhere') : word))
  if (command === 'restore') return runCommand([command, ...inData], { INFERD_DATA: `${data}/restored` })
  const ran = await runCommand([command, ...inData], { INFERD_DATA: data })
  // The doctor may find problems of this machine, which do not concern the page.
  return command === 'doctor' ? { ...ran, code: 0 } : ran
}
