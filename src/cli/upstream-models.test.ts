/** Commands for an upstream model: it has no files, and its key is in no output. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { until } from '../testing/until.ts'

let data = ''
let manifest = ''

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-upstream-'))
  mkdirSync(join(data, 'models.d'))
  manifest = join(data, 'models.d', 'big.toml')
  writeFileSync(join(data, 'models.d', 'vllm.key'), 'sk-of-the-server\n', { mode: 0o600 })
  const lines = ['id = "acme/big"', 'type = "chat"', 'engine = "upstream"', 'aliases = [{ id = "gpt-big" }]']
  const servers = ['flavor = "vllm"', 'model = "Qwen/Qwen3-32B"', 'endpoints = ["http://127.0.0.1:9/v1"]']
  writeFileSync(manifest, [...lines, '[upstream]', ...servers, 'key = { file = "vllm.key" }'].join('\n'))
})

afterEach(() => rmSync(data, { recursive: true }))

const run = (...words: string[]) => runCommand(words, { INFERD_DATA: data })

test('it is listed as installed, with its servers and without its key', async () => {
  const { out } = await run('list')
  expect(out).toMatch(/^acme\/big +chat +installed +- +- +- +gpt-big$/m)
  const listed = JSON.parse((await run('list', '--json')).out).find(({ id }: { id: string }) => id === 'acme/big')
  expect(listed).toMatchObject({ engine: 'upstream', status: 'ready', files: {} })
  expect(listed.servers).toEqual({
    ...{ flavor: 'vllm', model: 'Qwen/Qwen3-32B', endpoints: ['http://127.0.0.1:9/v1'] },
    ...{ lacks: [], checkedAtMs: null },
  })
  expect(JSON.stringify(listed)).not.toContain('key')
})

test.each<[string[], string]>([
  [['pull', 'acme/big'], 'inferd: upstream servers serve acme/big, as its manifest says: there is nothing to pull\n'],
  [
    ['rm', 'acme/big'],
    'so there is nothing to remove; MANIFEST describes it: delete that to have the model no longer\n',
  ],
  [
    ['bundle', 'create', 'acme/big', '--to', '.'],
    'acme/big has no files to carry: upstream servers serve it, and each box names them',
  ],
  [['import', 'x.gguf', '--manifest', 'MANIFEST'], 'only a manifest that you write into the folder models.d'],
])('%j says that there are no files', async (words, problem) => {
  const { code, error } = await run(...words.map((word) => word.replace('MANIFEST', manifest)))
  expect(code).toBe(1)
  expect(error).toContain(problem.replace('MANIFEST', manifest))
})

test('commands for files find none of it', async () => {
  expect(await run('verify', 'acme/big')).toEqual({
    code: 0,
    out: 'acme/big has no files in the data folder: nothing to compare\n',
    error: '',
  })
  expect((await run('verify')).out).toBe('No model has files on this disk.\n')
  expect((await run('du')).out).toBe('No model has files in the data folder.\n')
  expect((await run('gc')).out).toBe('There is nothing to remove.\n')
})

test('a server loads it at its start although nothing answers there, and it can be unloaded, loaded and pinned', async () => {
  await using server = await startServedProcess(['--data', data])
  const engine = async () => {
    const { engines } = JSON.parse((await run('ps', '--json')).out)
    return engines.find(({ modelId }: { modelId: string }) => modelId === 'acme/big')
  }
  // No request loads the model: the server does so in the background.
  await until('the model is loaded', engine, (found) => found?.state === 'ready')
  expect(await engine()).toMatchObject({ state: 'ready', placement: 'upstream', info: { parallel: 64 } })
  expect((await engine()).pid).toBeUndefined()
  expect((await run('ps')).out).toMatch(/^acme\/big +ready +- +upstream +0\/64 +0 +- +- +- +- +1 /m)
  expect(await run('models', 'unload', 'acme/big')).toMatchObject({ code: 0 })
  expect(await engine()).toMatchObject({ state: 'stopped' })
  expect(await run('models', 'load', 'acme/big')).toMatchObject({ code: 0 })
  expect(await engine()).toMatchObject({ state: 'ready' })
  expect(await run('models', 'pin', 'acme/big')).toMatchObject({ code: 0 })
  expect(await run('models', 'restart', 'acme/big')).toMatchObject({ code: 0 })
  expect(await engine()).toMatchObject({ state: 'ready', isPinned: true })
  expect(await server.stop()).not.toContain('sk-of-the-server')
})
