/** Operators' commands for the endpoints of a model, with a real server process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/upstream/fake-upstream.ts'

let server: ServedProcess
let upstream: FakeUpstream
/** Address at which nothing listens. */
const down = 'http://127.0.0.1:9/v1'

beforeAll(async () => {
  upstream = await startFakeUpstream({ flavor: 'vllm' })
  server = await startServedProcess()
  const folder = join(server.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  const table = `[upstream]\nflavor = "vllm"\nmodel = "served"\nendpoints = ["${upstream.url}", "${down}"]\n`
  writeFileSync(join(folder, 'behind.toml'), `id = "test/behind"\ntype = "chat"\nengine = "upstream"\n${table}`)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const run = (...words: string[]) => runCommand([...words, '--data', server.dataDir], {})

function ask(script: readonly object[], signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'test/behind', stream: true },
      messages: [{ role: 'user', content: JSON.stringify({ script }) }],
    }),
    ...(signal !== undefined && { signal }),
  })
}

test('endpoints are listed with what was served and what failed; the doctor names the one that is down', async () => {
  expect((await run('endpoints', 'drain', 'test/behind', down)).out).toBe(
    `${down} is drained; 'inferd endpoints resume test/behind ${down} --data ${server.dataDir}' undoes it.\n`,
  )
  expect(await (await ask([{ text: 'Hello' }])).text()).toContain('Hello')
  const { out } = await run('endpoints', 'test/behind')
  expect(out).toMatch(/^MODEL +ENDPOINT +STATE +RUNNING +SERVED +FAILED +REFUSED +NEXT TRY +LAST FAILURE$/m)
  expect(out).toContain(`test/behind  ${upstream.url}`)
  expect(out).toMatch(/ok +0 +1 +0 +0 +- +-$/m)
  expect(out).toMatch(/127\.0\.0\.1:9\/v1 +drained +0 +0 +0 +0 +- +\S+ \S+ the server cannot be reached/m)
  const { endpoints } = JSON.parse((await run('ps', '--json')).out)
  expect(endpoints).toMatchObject([
    { model: 'test/behind', served: 1 },
    { url: down, state: 'draining' },
  ])
  const found = (await run('doctor')).out
  expect(found).toContain('PROBLEM  endpoint 127.0.0.1:9 of model test/behind does not work')
  expect((await run('endpoints', 'resume', 'test/behind', '127.0.0.1:9')).out).toBe(`${down} gets requests again.\n`)
})

test('a drain waits until the last request has ended, unless it shall not', async () => {
  const { host } = new URL(upstream.url)
  const client = new AbortController()
  const busy = await ask([{ text: 'a' }, { waitForCancel: true }], client.signal)
  expect(busy.status).toBe(200)
  // Reads the answer, since the runtime would collect an unread one and close its connection.
  const rest = busy.text().then(
    () => 'ended',
    () => 'left',
  )
  expect(await run('endpoints', 'drain', 'test/behind', host, '--no-wait')).toEqual({
    ...{ code: 0, out: '1 request left.\n', error: '' },
  })
  // Only the server that is down remains.
  expect((await ask([{ text: 'b' }])).status).toBe(502)
  let isDrained = false
  const drained = run('endpoints', 'drain', 'test/behind', host).finally(() => {
    isDrained = true
  })
  for (let look = 0; look < 3; look++) expect((await run('endpoints')).out).toMatch(/draining +1 /)
  expect(isDrained).toBe(false)
  client.abort()
  expect(await rest).toBe('left')
  expect(await drained).toEqual({
    ...{
      code: 0,
      out: `${upstream.url} is drained; 'inferd endpoints resume test/behind ${host} --data ${server.dataDir}' undoes it.\n`,
      error: '1 request left\n',
    },
  })
  await run('endpoints', 'resume', 'test/behind', host)
  expect(await (await ask([{ text: 'c' }])).text()).toContain('"c"')
})

test('what there is not is named', async () => {
  expect((await run('endpoints', 'drain', 'test/behind', 'http://x/v1')).error).toBe(
    `inferd: the model has no endpoint "http://x/v1"; 'inferd endpoints --data ${server.dataDir}' lists them\n`,
  )
  expect((await run('endpoints', 'nobody')).error).toBe(
    `inferd: there is no model "nobody"; 'inferd list --data ${server.dataDir}' shows the ids\n`,
  )
  expect((await run('endpoints', 'starter-chat')).out).toBe('starter-chat is not served by upstream servers.\n')
})
