/**
 * Runs the tests of clients twice, with models served here and with the same models served by an upstream server, and
 * prints every test that passes only with the former.
 *
 *     bun run clients:behind --behind twin        scripted models, served by a second inferd
 *     bun run clients:behind --behind inferd      the starter models, served by a second inferd
 *     bun run clients:behind --behind llamacpp    the starter chat model, served by llama-server (LLAMA_SERVER=FILE)
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startServedProcess } from '../src/testing/served-process.ts'
import { type Behind, behindVariable } from '../src/testing/upstream/behind.ts'
import { readFlags } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'

const root = join(import.meta.dir, '..')

const scripted = [
  ...[
    'ai-sdk',
    'anthropic-sdk',
    'langchain-anthropic',
    'ollama',
    'ollama-ai-provider',
    'ollama-libraries',
    'openai-sdk',
  ].map((name) => `scripts/clients/${name}.test.ts`),
  'src/http/routes/responses-agent.test.ts',
  ...['openai-client.fake', 'anthropic-client.fake', 'vercel-chat', 'vercel-anthropic', 'completion-clients'].map(
    (name) => `src/http/${name}.test.ts`,
  ),
]
const chat = [
  'src/http/openai-client.test.ts',
  'src/http/anthropic-client.test.ts',
  'src/http/routes/responses-client.test.ts',
  'src/http/picture-clients.test.ts',
  'scripts/clients/bounded-tools.test.ts',
  'scripts/clients.test.ts',
]
const speechAndLists = ['src/http/audio-clients.test.ts', 'src/http/ollama-starter.test.ts']

interface Served extends AsyncDisposable {
  readonly behind: Behind
}

const kinds: Readonly<Record<string, { readonly files: readonly string[]; readonly start: () => Promise<Served> }>> = {
  twin: { files: scripted, start: async () => ({ behind: 'twin', [Symbol.asyncDispose]: async () => undefined }) },
  inferd: { files: [...chat, ...speechAndLists], start: startSecond },
  llamacpp: { files: chat, start: startLlamaServer },
}

async function startSecond(): Promise<Served> {
  const second = await startServedProcess([], { PATH: process.env.PATH ?? '' })
  const names = [
    'vision/starter-chat',
    'embedding/starter-embed',
    'rerank/starter-rerank',
    'stt/starter-stt',
    'tts/starter-tts',
  ]
  return {
    behind: {
      flavor: 'inferd',
      url: second.baseUrl,
      key: second.key,
      models: Object.fromEntries(names.map((name) => [name, `inferd/${name.split('/')[1]}`])),
    },
    [Symbol.asyncDispose]: () => second[Symbol.asyncDispose](),
  }
}

async function startLlamaServer(): Promise<Served> {
  const binary = process.env.LLAMA_SERVER
  if (binary === undefined)
    throw new Error('set LLAMA_SERVER to a llama-server, as built by scripts/bench/build-llama-server.sh')
  const port = freePort()
  const starter = (name: string) => join(root, 'models/starter', name)
  const child = Bun.spawn(
    [
      ...[binary, '--host', '127.0.0.1', '--port', String(port), '--alias', 'starter', '--jinja', '--no-ui'],
      ...['--model', starter('starter-chat-q8_0.gguf'), '--mmproj', starter('starter-chat-mmproj-f16.gguf')],
      ...['--ctx-size', '131072', '--parallel', '4'],
    ],
    { env: { ...process.env, LD_LIBRARY_PATH: dirname(binary) }, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const url = `http://127.0.0.1:${port}`
  while ((await fetch(`${url}/health`).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error('llama-server ended before it listened')
    await Bun.sleep(100)
  }
  return {
    behind: { flavor: 'llamacpp', url: `${url}/v1`, models: { 'vision/starter-chat': 'starter' } },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  listener.stop(true)
  return listener.port
}

/** Returns whether each test passed, by file and name. */
async function runTests(files: readonly string[], behind?: Behind): Promise<ReadonlyMap<string, boolean>> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-clients-'))
  const report = join(folder, 'report.xml')
  const child = Bun.spawn(
    [
      ...[process.execPath, 'test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`],
      ...files.map((file) => `./${file}`),
    ],
    {
      cwd: root,
      env: { ...process.env, ...(behind && { [behindVariable]: JSON.stringify(behind) }) },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: behind === undefined ? 'ignore' : 'inherit',
    },
  )
  await child.exited
  const passed = new Map<string, boolean>()
  for (const [, attributes = '', end] of readFileSync(report, 'utf8').matchAll(/<testcase ([^>]*?)(\/)?>/g)) {
    const [name, group, file] = ['name', 'classname', 'file'].map(
      (attribute) => new RegExp(`\\b${attribute}="([^"]*)"`).exec(attributes)?.[1] ?? '',
    )
    // A test case that is no self-closing tag contains its failure.
    passed.set(`${file}: ${group}: ${name}`, end !== undefined)
  }
  rmSync(folder, { recursive: true })
  return passed
}

/** Expected differences with an upstream server, by the ends of tests' names, and the reasons. */
const expected: Readonly<Record<string, readonly (readonly [name: string, why: string])[]>> = {
  twin: [
    ['a failure of the engine is thrown with its status', 'its words are ours, not those of the upstream server'],
    ['throws the words of an error, before a stream and in it', 'its words are ours'],
    ['an error in the middle of a stream is thrown with its type', 'its words are ours'],
    ['edge case 6: an error in the middle of a stream is thrown with its message and code', 'its words are ours'],
    ['AI SDK: text, whole and in a stream, thinking apart', 'the scripted engine thinks although thinking is off'],
    [
      'edge case 53: usage is there from the start, and cached tokens are counted once',
      'its prompt is longer than its bytes',
    ],
    ['edge case 61: a stop sequence is named', 'the script names one that the request has not'],
    ['the end of the context is told from max_tokens', 'the script ends before any limit'],
    ['edge case 62: max_tokens inside a call is said, and the helper survives it', 'the script ends before any limit'],
  ],
  inferd: [
    ['killing the engine under four streams fails each of them, and nothing else', 'there is no engine process'],
    ['an engine that is killed before it answers is an InternalServerError', 'there is no engine process'],
    ['a picture costs tokens, which are counted before and cached afterwards', 'pictures are estimated before'],
    [
      'the model is listed with all that it can do, and the context that it has here',
      'there is no file to tell it from',
    ],
  ],
  llamacpp: [
    ['killing the engine under four streams fails each of them, and nothing else', 'there is no engine process'],
    ['an engine that is killed before it answers is an InternalServerError', 'there is no engine process'],
    ['edge case 61: a stop sequence ends the answer and is named', 'the server does not say which ended the answer'],
    ['with tools there, the answer keeps to the schema or is a call', 'refused: the model could make no call'],
    ['a token id that the model does not have is a BadRequestError', 'the server ignores it'],
    [
      'a forced call is one of the tool offered, with arguments that fit its schema',
      'the server lets the model write first',
    ],
    ['one that is only required may be called more often', 'the server lets the model write first'],
    ['a picture costs tokens, which are counted before and cached afterwards', 'pictures are estimated before'],
    ['runs a tool whose numbers are bounded', 'the server holds the bounds of whole numbers alone'],
    ['gets an object that keeps to its schema', 'the server holds the bounds of whole numbers alone'],
  ],
}

/** Returns the tests that fail with models served in this way, except expected ones. */
export async function failuresBehind(kind: string, files?: readonly string[]): Promise<readonly string[]> {
  const row = kinds[kind]
  if (row === undefined) throw new Error(`--behind ${kind}: not one of ${Object.keys(kinds).join(', ')}`)
  await using served = await row.start()
  const outcomes = await runTests(files ?? row.files, served.behind)
  if (outcomes.size === 0) throw new Error('no test was run')
  return failuresOf(outcomes).filter((name) => !(expected[kind] ?? []).some(([end]) => name.endsWith(end)))
}

function failuresOf(outcomes: ReadonlyMap<string, boolean>): readonly string[] {
  return [...outcomes].filter(([, hasPassed]) => !hasPassed).map(([name]) => name)
}

if (import.meta.main) {
  const { behind } = readFlags({ behind: 'twin' })
  const files = kinds[behind]?.files ?? []
  const here = await runTests(files)
  const failing = failuresOf(here)
  const lost = (await failuresBehind(behind)).filter((name) => !failing.includes(name))
  const counts = [here.size, failing.length, expected[behind]?.length ?? 0, lost.length]
  const head = ['tests', 'fail here', 'known to differ behind', 'fail only behind']
  console.log(markdownTable(head, [counts.map(String)], { labels: 0 }).join('\n'))
  for (const [name, why] of expected[behind] ?? []) console.log(`known: ${name}: ${why}`)
  for (const name of lost) console.log(`only behind: ${name}`)
  for (const name of failing) console.log(`here too: ${name}`)
  process.exitCode = lost.length === 0 ? 0 : 1
}
