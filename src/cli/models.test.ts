/** Operators' commands for the models of a real server process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

let server: ServedProcess
beforeAll(async () => {
  server = await startServedProcess()
  const folder = join(server.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  for (const name of ['one', 'two']) {
    writeFileSync(
      join(folder, `${name}.toml`),
      `id = "test/${name}"\ntype = "chat"\nengine = "fake"\naliases = [{ id = "${name}" }]\n`,
    )
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const run = (...words: string[]) => runCommand([...words, '--data', server.dataDir], {})

async function shown(): Promise<{ modelId: string; state: string; isPinned: boolean; loads: number }[]> {
  return JSON.parse((await run('ps', '--json')).out).engines
}

test('a model is loaded, shown with its memory, and unloaded', async () => {
  expect(await run('models', 'load', 'one')).toEqual({ code: 0, out: 'test/one is loaded.\n', error: '' })
  expect(await shown()).toMatchObject([{ modelId: 'test/one', state: 'ready', loads: 1, isPinned: false }])
  expect((await run('ps', '--loads')).out).toMatch(/^MODEL +TOTAL +FILES +PROCESS\ntest\/one( +\d+ ms){3}\n$/)
  const { out } = await run('ps')
  expect(out).toMatch(/^MEMORY +TOTAL +FREE +KEPT +OTHERS +FOR MODELS +RESERVED$/m)
  expect(out).toMatch(/^host( +[\d.]+ [GM]?B){6}$/m)
  expect(out).toMatch(/^test\/one +ready +\d+ +cpu +0\/8 +0 +\d+ MB /m)
  expect(await run('models', 'unload', 'test/one', '--json')).toMatchObject({ code: 0, out: '{"model":"test/one"}\n' })
  expect(await shown()).toMatchObject([{ modelId: 'test/one', state: 'stopped' }])
})

test('a busy model is unloaded only where its requests may wait or fail', async () => {
  const abort = new AbortController()
  const content = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'two', stream: true, messages: [{ role: 'user', content }] }),
    signal: abort.signal,
  })
  const refused = await run('models', 'unload', 'two')
  expect(refused).toMatchObject({
    code: 1,
    error: 'inferd: test/two has 1 running request and 0 that wait; --drain waits for them, --now fails them\n',
  })
  expect((await run('models', 'unload', 'two', '--drain', '--now')).code).toBe(2)
  expect((await run('models', 'unload', 'two', '--now')).code).toBe(0)
  expect(await response.text()).toContain('engine_failed')
})

test('a pin loads a model and lasts, an unload ends it', async () => {
  expect((await run('models', 'pin', 'two')).out).toBe('test/two is pinned; it is being loaded where there is room.\n')
  await run('models', 'load', 'two')
  expect(await shown()).toContainEqual(expect.objectContaining({ modelId: 'test/two', state: 'ready', isPinned: true }))
  await run('models', 'unload', 'two')
  expect(await run('models', 'unpin', 'two')).toMatchObject({
    code: 1,
    error: `inferd: model "test/two" is not pinned; 'inferd ps --data ${server.dataDir}' shows those that are\n`,
  })
})

test('a model that there is not is named', async () => {
  expect(await run('models', 'load', 'nobody')).toMatchObject({
    code: 1,
    error: `inferd: there is no model "nobody"; 'inferd list --data ${server.dataDir}' shows the ids\n`,
  })
})

test('without a server only pins change, and count from its start on', async () => {
  await run('models', 'pin', 'one')
  await server.stop()
  const unloaded = await run('models', 'load', 'one')
  expect(unloaded.code).toBe(3)
  expect(unloaded.error).toStartWith(`inferd: no server runs on ${server.dataDir}; `)
  expect((await run('models', 'pin', 'two')).out).toBe('test/two is pinned; the next start of the server loads it.\n')
  expect(await run('models', 'pin', 'nobody')).toMatchObject({
    code: 1,
    error: `inferd: there is no model "nobody"; 'inferd list --data ${server.dataDir}' shows the ids\n`,
  })
  for (const name of ['one', 'two']) expect((await run('models', 'unpin', name)).code).toBe(0)
})
