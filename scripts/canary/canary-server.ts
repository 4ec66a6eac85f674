/** `inferd serve` at its most talkative level, whose every byte on the disk lies below one folder. */

import { mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../src/core/ids.ts'
import { fakeSearxng } from '../../src/testing/fake-searxng.ts'
import { openRaw, type RawConnection } from '../../src/testing/raw-connection.ts'
import { makeAccount, openTestAccounts } from '../../src/testing/test-accounts.ts'
import { testedProgram } from '../../src/testing/tested-program.ts'
import { textParts } from '../../src/testing/text-parts.ts'
import { startFakeUpstream } from '../../src/testing/upstream/fake-upstream.ts'

export interface CanaryServer extends AsyncDisposable {
  /** Folder of everything that the server and its children could write. */
  readonly folder: string
  readonly dataDir: string
  readonly key: string
  /** Key of an account without money. */
  readonly poorKey: string
  /** Sends a body and resolves when its answer has ended. */
  post(path: string, body: string | FormData, key?: string): Promise<Response>
  /** Sends bytes and cuts the connection. */
  cut(bytes: string): Promise<void>
  /** Sends bytes and keeps the connection until the server ends. */
  stall(bytes: string): Promise<void>
  /** Sends a body and leaves once the answer has begun. */
  leave(path: string, body: string): Promise<void>
  /** Sends a body and resolves once the answer has begun, which goes on until the server ends. */
  begin(path: string, body: string): Promise<void>
  spooled(): string[]
  /** Ends the server by a signal and starts the next one on the same folder. */
  restart(signal: NodeJS.Signals): Promise<void>
  /** Ends the server in order. */
  stop(): Promise<void>
  /** Runs a command on the data folder. Its output lies in the folder. */
  run(...words: readonly string[]): Promise<void>
}

const chat = 'type = "chat"\nengine = "fake"\n[pricing]\ninput = 1\noutput = 1\nunit = "1M_tokens"'
const texts = 'engine = "fake"\n[pricing]\nprice = 1\nunit = "1M_tokens"'

export async function startCanaryServer(flags: readonly string[]): Promise<CanaryServer> {
  const searxng = fakeSearxng()
  const [far, refuser] = [await startFakeUpstream({ flavor: 'vllm' }), await startFakeUpstream({ flavor: 'vllm' })]
  // Quotes the request that it refuses.
  refuser.always = (exchange) =>
    exchange.answer(400, { error: { message: `cannot read ${exchange.body}`, type: 'BadRequestError', code: 400 } })
  const folder = mkdtempSync(join(tmpdir(), 'inferd-canary-'))
  const [dataDir, temporary, workFolder] = ['data', 'tmp', 'cwd'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [join(dataDir, 'models.d'), temporary, workFolder])
    mkdirSync(path, { recursive: true, mode: 0o700 })
  const upstream = (type: string, url: string, pricing = 'input = 1\noutput = 1\nunit = "1M_tokens"') =>
    `type = "${type}"\nengine = "upstream"\ncontext_length = 4096\n[pricing]\n${pricing}\n[upstream]\nflavor = "vllm"\nmodel = "served"\nendpoints = ["${url}"]`
  const models = {
    chat: chat.replace('type = "chat"', 'type = "vision"'),
    embed: `type = "embedding"\n${texts}`,
    rerank: `type = "rerank"\n${texts}`,
    ears: 'type = "stt"\nengine = "fake"\n[pricing]\nprice = 0.01\nunit = "minute"\n[capabilities]\ntranslation = true',
    voice: 'type = "tts"\nengine = "fake"\n[pricing]\nprice = 1\nunit = "1M_characters"',
    far: upstream('chat', far.url),
    refuser: upstream('chat', refuser.url),
    painter: upstream('image', far.url, 'price = 0.01\nunit = "image"'),
  }
  for (const [name, text] of Object.entries(models))
    writeFileSync(join(dataDir, 'models.d', `${name}.toml`), `id = "test/${name}"\n${text}\n`)
  writeFileSync(
    join(dataDir, 'config.toml'),
    `search_url = "${searxng.url}"\nmoderation_model = "test/chat"\naudio_fallback = "test/ears"\nbody_limit_mb = 1
records_file = "${join(folder, 'records.jsonl')}"
[[webhooks]]
url = "http://127.0.0.1:9/"
events = ["model.failed"]
secret = "whsec_${Buffer.alloc(32).toString('base64')}"
`,
  )
  const [key, poorKey] = makeKeys(join(dataDir, 'inferd.db'))
  const command = testedProgram
  const spawn = (words: readonly string[], output: string) =>
    // Core dumps are allowed: the program itself must see to it that they hold nothing.
    Bun.spawn(['sh', '-c', 'ulimit -c unlimited; exec "$@"', 'sh', ...command, ...words, '--data', dataDir], {
      env: { TMPDIR: temporary, HOME: workFolder, PATH: '/usr/bin:/bin' },
      cwd: workFolder,
      stdin: 'ignore',
      stdout: output === '' ? 'pipe' : openSync(join(folder, output), 'a'),
      stderr: openSync(join(folder, 'stderr.log'), 'a'),
    })
  const begin = async () => {
    const child = spawn(['serve', '--json', '--port', '0', '--log-level', 'trace', ...flags], '')
    for await (const line of textParts(child.stdout as ReadableStream<Uint8Array>)) {
      writeFileSync(join(folder, 'stdout.log'), `${line}\n`, { flag: 'a' })
      if (line.includes('"listening"')) return { child, url: String(JSON.parse(line).url) }
    }
    throw new Error(`the server did not start: see ${folder}`)
  }
  let server = await begin()
  const end = async (signal: NodeJS.Signals) => {
    server.child.kill(signal)
    await server.child.exited
  }
  const headers = (body: string | FormData, as = key) => ({
    authorization: `Bearer ${as}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  })
  const ask = (path: string, body: string | FormData, { as, signal }: { as?: string; signal?: AbortSignal } = {}) =>
    fetch(server.url + path, { method: 'POST', headers: headers(body, as), body, ...(signal && { signal }) })
  const uploads: RawConnection[] = []
  return {
    ...{ folder, dataDir, key, poorKey },
    post: async (path, body, as) => {
      const response = await ask(path, body, as === undefined ? {} : { as })
      await response.arrayBuffer().catch(() => undefined)
      return response
    },
    cut: async (bytes) => {
      const raw = await openRaw(server.url)
      raw.socket.write(bytes)
      raw.socket.destroySoon()
      await raw.closed()
    },
    stall: async (bytes) => {
      const raw = await openRaw(server.url)
      raw.socket.write(bytes)
      uploads.push(raw)
    },
    leave: async (path, body) => {
      const client = new AbortController()
      const response = await ask(path, body, { signal: client.signal })
      await response.body?.getReader().read()
      client.abort()
    },
    begin: async (path, body) => {
      const response = await ask(path, body)
      await response.body?.getReader().read()
    },
    spooled: () => readdirSync(join(dataDir, 'spool')),
    restart: async (signal) => {
      await end(signal)
      server = await begin()
    },
    stop: () => end('SIGTERM'),
    run: async (...words) => {
      await spawn(words, `${words.join('-').replaceAll(/[^a-z-]/g, '')}.out`).exited
    },
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL')
      for (const { socket } of uploads) socket.destroy()
      for (const each of [searxng, far, refuser]) await each[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeKeys(path: string): [string, string] {
  using books = openTestAccounts(path, Date.now)
  const place = { ...books, newId }
  return [makeAccount(place, 1e12).key, makeAccount(place, 0).key]
}
