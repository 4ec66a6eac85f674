/** The program as an operator starts it: real processes, real sockets, the fake engine. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { outputsOf } from '../testing/run-program.ts'
import { testedProgram } from '../testing/tested-program.ts'

const program = testedProgram.join(' ')
const children: Bun.Subprocess[] = []
let data = ''

beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'inferd-serve-')), 'data')
  const folder = join(data, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(
    join(folder, 'fake.toml'),
    'id = "test/fake"\ntype = "chat"\nengine = "fake"\naliases = [{ id = "fake" }]\n',
  )
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
})

function spawn(...words: string[]) {
  const child = Bun.spawn([...testedProgram, ...words], {
    // Nothing of this process's environment: the defaults must suffice.
    env: { HOME: tmpdir(), PATH: '/usr/bin:/bin' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  children.push(child)
  return child
}

function run(...words: string[]) {
  return outputsOf(spawn(...words, '--data', data))
}

interface ServerEvent {
  readonly event: string
  readonly command?: string
  readonly url?: string
  readonly key?: string
}

/** Starts a server. Resolves once it listens, with the events printed until then. */
async function serve(...words: string[]) {
  const child = spawn('serve', '--data', data, '--port', '0', '--json', ...words)
  const events: ServerEvent[] = []
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const until = async (event: string): Promise<ServerEvent> => {
    for (;;) {
      const found = events.find((candidate) => candidate.event === event)
      if (found !== undefined) return found
      const { value, done } = await reader.read()
      if (done) throw new Error(`no "${event}": ${await new Response(child.stderr).text()}`)
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      events.push(...lines.map((line) => JSON.parse(line)))
    }
  }
  const { url = '' } = await until('listening')
  const key = events.find(({ event }) => event === 'first-key')?.key
  return { child, url, key, until, names: () => events.map(({ event }) => event) }
}

function chat(url: string, key: string | undefined, content: unknown, more: object = {}) {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'fake',
      messages: [{ role: 'user', content: typeof content === 'string' ? content : JSON.stringify(content) }],
      ...more,
    }),
  })
}

test('the first start prints a key that works, the second prints none', async () => {
  const first = await serve()
  expect(first.names()).toEqual(['first-key', 'setup', 'listening'])
  expect(await first.until('setup')).toEqual({ event: 'setup', command: `${program} admin link --data ${data}` })
  const answer = await chat(first.url, first.key, 'hello there')
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'hello there' } }] })
  first.child.kill('SIGTERM')
  expect(await first.child.exited).toBe(0)

  const second = await serve()
  expect(second.names()).toEqual(['setup', 'listening'])
  expect((await chat(second.url, first.key, 'again')).status).toBe(200)
})

test('an operator who has used a setup link is not offered one any more', async () => {
  const { url, child } = await serve()
  const { out, error } = await runCommand(['admin', 'link', '--data', data], {})
  const link = new URL(out.trim())
  expect([link.origin, link.pathname, link.hash.length]).toEqual([url, '/admin/setup', 44])
  expect(error).toContain(`ssh -L ${link.port}:127.0.0.1:${link.port}`)
  const answer = await fetch(`${url}/admin/api/setup`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.hash.slice(1), name: 'Grace', password: 'a long enough one' }),
  })
  expect(answer.status).toBe(200)
  const audit = await runCommand(['audit', '--data', data], {})
  expect(audit.out).toMatch(/account:acc_\w+ +operator\.setup[\s\S]*cli:\S+ +operator\.link/)
  expect(audit.out).not.toContain(link.hash.slice(1))
  child.kill('SIGTERM')
  await child.exited
  expect((await serve('--admin', 'off')).names()).toEqual(['listening'])
  expect(await runCommand(['admin', 'link', '--data', data, '--url', 'box'], {})).toMatchObject({ code: 2 })
})

test('a server starts and serves whatever lies in models.d, and its log names each thing once', async () => {
  const folder = join(data, 'models.d')
  symlinkSync(join(folder, 'loop.toml'), join(folder, 'loop.toml'))
  expect(Bun.spawnSync(['mkfifo', join(folder, 'fifo.toml')]).exitCode).toBe(0)
  writeFileSync(join(folder, 'escape.toml'), 'id = "\\u001b[2J"\n')
  const { child, url, key } = await serve('--log-format', 'text')
  const list = await fetch(`${url}/v1/models`)
  expect(list.status).toBe(200)
  expect(((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toContain('test/fake')
  expect((await chat(url, key, 'hello')).status).toBe(200)
  child.kill('SIGTERM')
  const log = await new Response(child.stderr).text()
  const named = log.split('\n').filter((line) => line.includes('model left out'))
  expect(named.map((line) => /models\.d\/(\w+)\.toml: /.exec(line)?.[1])).toEqual(['escape', 'fifo', 'loop'])
  expect(log).not.toContain('\x1b')
})

test('keys made and revoked beside the running server count at once', async () => {
  const { url, key } = await serve()
  const created = JSON.parse((await run('keys', 'create', '--name', 'other', '--json')).out)
  expect((await chat(url, created.key, 'hello')).status).toBe(200)
  expect((await run('keys', 'revoke', created.id)).code).toBe(0)
  expect((await chat(url, created.key, 'hello')).status).toBe(401)
  expect((await chat(url, key, 'hello')).status).toBe(200)
})

test('the list of models shows the prices that the settings file sets', async () => {
  writeFileSync(join(data, 'config.toml'), '[prices."test/fake"]\ninput = 0.3\noutput = 0.7\n')
  const { url } = await serve()
  const answer = await fetch(`${url}/v1/models/test/fake`)
  expect(await answer.json()).toMatchObject({ pricing: { input: 0.3, output: 0.7, unit: '1M_tokens' } })
})

test('a price of a model that does not exist keeps the server from starting', async () => {
  writeFileSync(join(data, 'config.toml'), '[prices."test/fakes"]\ninput = 0.3\n')
  expect(await run('serve', '--port', '0')).toEqual({
    code: 1,
    out: '',
    error: `inferd: ${join(data, 'config.toml')}: [prices."test/fakes"]: there is no such model (did you mean "test/fake"?)\n`,
  })
})

test('settings of one model come from the settings file, before its manifest and the flags', async () => {
  const manifest = join(data, 'models.d', 'fake.toml')
  writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}\n[fake]\ncontext_tokens = 400\nparallel = 3\n`)
  writeFileSync(join(data, 'config.toml'), '[models."test/fake".fake]\ncontext_tokens = 300\n')
  const { url, key } = await serve('--context-tokens', '500', '--parallel', '5')
  expect((await chat(url, key, 'hello')).status).toBe(200)
  const { engines } = JSON.parse((await run('ps', '--json')).out)
  expect(engines[0].info).toMatchObject({ contextTokens: 300, parallel: 3 })
})

test('settings of another engine than the model’s keep the server from starting', async () => {
  writeFileSync(join(data, 'config.toml'), '[models."test/fake".llama]\ncontext_tokens = 300\n')
  expect(await run('serve', '--port', '0')).toEqual({
    code: 1,
    out: '',
    error: `inferd: ${join(data, 'config.toml')}: [models."test/fake"]: "llama" has settings of another engine than the model's (did you mean "fake"?)\n`,
  })
})

test('ps shows the server and its engines', async () => {
  const { child, url, key } = await serve()
  expect((await run('ps')).out).toMatch(/^\d+ models installed, 0 loaded$/m)
  await chat(url, key, 'hello')
  const { out, code } = await run('ps', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    running: true,
    pid: child.pid,
    url,
    engines: [{ modelId: 'test/fake', state: 'ready', pid: expect.any(Number), restarts: 0, running: 0, waiting: 0 }],
  })
  expect((await run('ps')).out).toMatch(/test\/fake +ready +\d+/)
})

test('the control socket is the owner’s alone, goes with the server, and a stale one is replaced', async () => {
  const socket = join(data, 'control.sock')
  const first = await serve()
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  first.child.kill('SIGKILL')
  await first.child.exited
  expect(existsSync(socket)).toBe(true)
  expect(JSON.parse((await run('ps', '--json')).out)).toEqual({
    running: false,
    endpoints: [],
    engines: [],
    pools: [],
    queue: [],
    backends: [],
  })
  const second = await serve()
  expect(JSON.parse((await run('ps', '--json')).out)).toMatchObject({ running: true, pid: second.child.pid })
  second.child.kill('SIGTERM')
  expect(await second.child.exited).toBe(0)
  expect(existsSync(socket)).toBe(false)
})

test('a server deletes the uploads of the one before it', async () => {
  const upload = leaveUpload()
  await serve()
  expect(existsSync(upload)).toBe(false)
})

test('a second server on the same data folder fails and leaves the first one alone, with its uploads', async () => {
  const { url, key } = await serve()
  const upload = leaveUpload()
  const { code, error } = await run('serve', '--port', '0')
  expect(code).toBe(1)
  expect(error).toBe(`inferd: another inferd is serving ${data}; stop it or give this one its own --data folder\n`)
  expect((await chat(url, key, 'still here')).status).toBe(200)
  expect((await run('ps')).out).toContain(url)
  expect(existsSync(upload)).toBe(true)
})

function leaveUpload(): string {
  const path = join(data, 'spool', 'upload-0123456789abcdef0123456789abcdef')
  mkdirSync(join(data, 'spool'))
  writeFileSync(path, 'x')
  return path
}

test('a port in use fails in one line and uses up no first key', async () => {
  const blocker = createServer()
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
  const address = blocker.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const { code, error, out } = await run('serve', '--port', port, '--json')
  blocker.close()
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(error).toBe(
    `inferd: cannot listen on 127.0.0.1 port ${port}: the port is in use; choose another with --port, 0 picks a free one\n`,
  )
  expect((await serve()).key).toBeDefined()
})

test.each(['999.1.1.1', '192.0.2.7'])('the address %s is not this machine’s: the line says so', async (host) => {
  await run('keys', 'create', '--name', 'a')
  const { code, error } = await run('serve', '--host', host, '--port', '0')
  expect(code).toBe(1)
  expect(error).toBe(
    `inferd: cannot listen on ${host} port 0: this machine has no such address; choose another with --host\n`,
  )
})

test('two servers never share a port', async () => {
  const { url } = await serve()
  const child = spawn('serve', '--data', join(data, 'other'), '--port', new URL(url).port, '--json')
  expect(await child.exited).toBe(1)
  expect(await new Response(child.stderr).text()).toContain('cannot listen on 127.0.0.1 port')
})

test('listening beyond loopback needs a key in force', async () => {
  const { child } = await serve('--host', '0.0.0.0')
  const [{ id }] = JSON.parse((await run('keys', 'list', '--json')).out)
  child.kill('SIGTERM')
  await child.exited
  await run('keys', 'revoke', id)
  const { code, error } = await run('serve', '--host', '0.0.0.0', '--port', '0')
  expect(code).toBe(1)
  expect(error).toContain(
    `needs an API key and there is none in force; make one with '${program} keys create --name NAME --data ${data}'`,
  )
  expect((await serve()).url).toContain('127.0.0.1')
})

test('a stop signal lets an open stream end and then exits with 0', async () => {
  const { child, url, key, until } = await serve()
  const script = [{ text: 'one ' }, { delayMs: 300 }, { text: 'two' }]
  const response = await chat(url, key, { script }, { stream: true })
  child.kill('SIGTERM')
  await until('stopping')
  const text = await response.text()
  expect(text).toContain('two')
  expect(text).toContain('data: [DONE]')
  expect(await child.exited).toBe(0)
})

test('a second stop signal does not wait', async () => {
  const { child, url, key, until } = await serve()
  const response = await chat(url, key, { script: [{ text: 'one' }, { waitForCancel: true }] }, { stream: true })
  expect(response.status).toBe(200)
  child.kill('SIGINT')
  await until('stopping')
  child.kill('SIGINT')
  expect(await child.exited).toBe(1)
})

test('engines end with the server', async () => {
  const { child, url, key } = await serve()
  await chat(url, key, 'hello')
  const { pid } = JSON.parse((await run('ps', '--json')).out).engines[0]
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  child.kill('SIGTERM')
  await child.exited
  expect(existsSync(`/proc/${pid}`)).toBe(false)
})

test('a preloaded model is loaded without a request, an unknown one fails the start', async () => {
  const { code, error } = await run('serve', '--port', '0', '--preload', 'nobody/nothing')
  expect(code).toBe(1)
  expect(error).toBe(
    `inferd: there is no model "nobody/nothing" to preload; '${program} list --data ${data}' shows the ids\n`,
  )
  await serve('--preload', 'fake')
  const { engines } = JSON.parse((await run('ps', '--json')).out)
  expect(engines).toMatchObject([{ modelId: 'test/fake', state: expect.stringMatching(/starting|ready/) }])
})

test('people get the address, the key and a command to copy', async () => {
  const child = spawn('--data', data, '--port', '0')
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes("}'\n")) text += (await reader.read()).value ?? ''
  expect(text).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\/v1/)
  expect(text).toMatch(/API key +sk-inferd-[0-9A-Za-z]{40} /)
  const curl = /curl [\s\S]*'\n/.exec(text)?.[0] ?? ''
  expect(curl).toContain('"model":"inferd/starter-chat"')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('the log is JSON lines on stderr and never holds a key', async () => {
  const { child, url, key, until } = await serve()
  await chat(url, key, 'a secret prompt')
  await chat(url, `${key}x`, 'a secret prompt')
  child.kill('SIGTERM')
  await until('stopped')
  const lines = (await new Response(child.stderr).text()).trim().split('\n')
  expect(
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request')
      .map(({ status }) => status),
  ).toEqual([200, 401])
  expect(lines.join('\n')).not.toContain(key ?? '')
  expect(lines.join('\n')).not.toContain('secret prompt')
})
