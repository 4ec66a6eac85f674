/**
 * Models whose engines crash on a GPU without a message: a stub library ends its process by a bare signal; the engines
 * are real.
 */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../core/model.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import type { StubMode } from '../testing/stub-backend/stub-backend.ts'
import { stubBox } from '../testing/stub-backend/stub-box.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { type RequestContext, unlimited } from './protocol/work-engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-silent-'))
const diesFile = join(folder, 'dies')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => rmSync(diesFile, { force: true }))

const file = join(import.meta.dir, '../../models/starter/starter-chat-q8_0.gguf')
const starter = (name: string): InstalledModel => ({
  manifest: testManifest({ id: `test/${name}`, type: 'chat', engine: 'llama', contextLength: 1024 }),
  filePaths: { model: file },
})
const model = starter('first')
const other = starter('other')

async function box(device: 'auto' | 'cuda' = 'auto', mode: StubMode = 'CRASHES_LATER') {
  const { backends, spawn } = await stubBox(folder, { cuda: mode }, { diesFile })
  const log: string[] = []
  const pool = testPool({
    ...{ spawn, backends, settings: { ...testEngineSettings, device } },
    runtime: (wanted, kind) => backends.runtime(wanted, kind),
    log: ({ message }) => void log.push(message),
  })
  const ask = async (asked: InstalledModel, maxTokens = 4, more: Partial<RequestContext> = {}) => {
    const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited, ...more }
    const events = pool.run(asked, { kind: 'chat', request: chatRequest({ maxTokens }) }, context)
    return (await Array.fromAsync(events)).map(({ type }) => type)
  }
  const statusOf = ({ manifest }: InstalledModel) => pool.status().find(({ modelId }) => modelId === manifest.id)
  /** Ends the model's next ready process other than `pid`. */
  const endNext = async (pid: number | undefined, signal: NodeJS.Signals) => {
    while (true) {
      const status = statusOf(model)
      if (status?.state === 'ready' && status.pid !== undefined && status.pid !== pid) {
        process.kill(status.pid, signal)
        return status
      }
      await new Promise(setImmediate)
    }
  }
  return { pool, backends, log, ask, statusOf, endNext, [Symbol.asyncDispose]: () => pool.stop() }
}

const moved = 'its engine ended on the GPU without a word: it is loaded on the CPU'
const back = 'its engine ended on the CPU too: the GPU was not to blame'

test('a request whose engines crash twice on the GPU is answered on the CPU, and other models stay on the GPU', async () => {
  await using machine = await box()
  await machine.pool.load(model)
  await machine.pool.load(other)
  expect(machine.statusOf(model)?.info?.device).toBe('cuda')
  writeFileSync(diesFile, '')
  const types = await machine.ask(model)
  expect(types.filter((type) => type === 'start' || type === 'finish')).toEqual(['start', 'finish'])
  expect(machine.statusOf(model)).toMatchObject({ info: { device: 'cpu' }, restarts: 2 })
  expect(machine.statusOf(model)?.info?.remark).toStartWith('its engine ended on the GPU without a word')
  expect(machine.log.filter((line) => line.startsWith(moved))).toHaveLength(1)
  // A repeated request is answered too.
  expect(await machine.ask(model)).toContain('finish')
  expect(machine.statusOf(other)).toMatchObject({ info: { device: 'cuda' }, restarts: 0 })
  expect(machine.backends.report()[0]?.verdict.state).toBe('computes')
})

test('a probe has the GPU tried again', async () => {
  await using machine = await box()
  await machine.pool.load(model)
  writeFileSync(diesFile, '')
  expect(await machine.ask(model)).toContain('finish')
  rmSync(diesFile)
  await machine.backends.probeAll()
  machine.pool.followBackends()
  expect(await machine.ask(model)).toContain('finish')
  expect(machine.statusOf(model)?.info?.device).toBe('cuda')
  expect(machine.statusOf(model)?.info?.remark).toBeUndefined()
})

test('one crash, or one after answers, moves nothing', async () => {
  await using machine = await box()
  await machine.pool.load(model)
  for (let round = 0; round < 3; round++) {
    const { pid } = machine.statusOf(model) ?? {}
    writeFileSync(diesFile, '')
    const asked = machine.ask(model)
    while (machine.statusOf(model)?.pid === pid) await new Promise(setImmediate)
    rmSync(diesFile)
    expect(await asked).toContain('finish')
    expect(machine.statusOf(model)?.info?.device).toBe('cuda')
  }
})

test('ends from outside by SIGKILL, as for want of memory, move nothing', async () => {
  await using machine = await box()
  const asked = machine.ask(model, 400, { onAgain: () => undefined })
  const first = await machine.endNext(undefined, 'SIGKILL')
  await machine.endNext(first.pid, 'SIGKILL')
  await expect(asked).rejects.toThrow()
  expect(machine.log.filter((line) => line.startsWith(moved))).toEqual([])
  expect(await machine.ask(model)).toContain('finish')
  expect(machine.statusOf(model)?.info?.device).toBe('cuda')
})

test('unloads by an operator move nothing', async () => {
  await using machine = await box()
  for (let round = 0; round < 3; round++) {
    await machine.pool.load(model)
    await machine.pool.unload(model.manifest.id)
  }
  await machine.pool.load(model)
  expect(machine.statusOf(model)?.info?.device).toBe('cuda')
})

test('a request that ends engines on the CPU too is refused, and the GPU is used again', async () => {
  await using machine = await box()
  const asked = machine.ask(model, 400, { onAgain: () => undefined })
  const first = await machine.endNext(undefined, 'SIGSEGV')
  const second = await machine.endNext(first.pid, 'SIGSEGV')
  const third = await machine.endNext(second.pid, 'SIGSEGV')
  expect([first, second, third].map(({ info }) => info?.device)).toEqual(['cuda', 'cuda', 'cpu'])
  await expect(asked).rejects.toThrow()
  expect(machine.log.filter((line) => line.startsWith(back))).toHaveLength(1)
  expect(await machine.ask(model)).toContain('finish')
  expect(machine.statusOf(model)?.info?.device).toBe('cuda')
})

test('a model whose dry run crashes on the GPU is loaded on the CPU for the request that waits', async () => {
  await using machine = await box('auto', 'LOADS_NO_MORE')
  await machine.pool.load(other)
  writeFileSync(diesFile, '')
  expect(await machine.ask(model)).toContain('finish')
  expect(machine.statusOf(model)).toMatchObject({ info: { device: 'cpu' }, restarts: 0 })
  expect(machine.statusOf(other)?.info?.device).toBe('cuda')
})

/** Ends the model's next process while it loads. */
async function endLoad({ statusOf }: Awaited<ReturnType<typeof box>>): Promise<void> {
  while (true) {
    const { state, pid } = statusOf(model) ?? {}
    if (state === 'starting' && pid !== undefined) {
      process.kill(pid, 'SIGSEGV')
      return
    }
    await new Promise(setImmediate)
  }
}

test('a model whose load crashes on the GPU is loaded on the CPU for the request that waits', async () => {
  await using machine = await box()
  const asked = machine.ask(model)
  await endLoad(machine)
  expect(await asked).toContain('finish')
  expect(machine.statusOf(model)?.info?.device).toBe('cpu')
})

test('a model whose load crashes everywhere is given up after a few loads', async () => {
  await using machine = await box()
  let isOver = false
  const failed = machine.ask(model).then(
    () => 'answered',
    () => 'failed',
  )
  void failed.then(() => {
    isOver = true
  })
  const killed = new Set<number>()
  while (!isOver) {
    const { state, pid } = machine.statusOf(model) ?? {}
    if (state === 'starting' && pid !== undefined && !killed.has(pid)) process.kill(pid, 'SIGSEGV')
    if (pid !== undefined) killed.add(pid)
    await new Promise(setImmediate)
  }
  expect(await failed).toBe('failed')
  expect(killed.size).toBeLessThan(8)
  expect(machine.log.filter((line) => line.startsWith(moved))).toHaveLength(1)
  expect(machine.log.filter((line) => line.startsWith(back))).toHaveLength(1)
})

test('with a device that is named it stays there, and the request ends with an error', async () => {
  await using machine = await box('cuda')
  await machine.pool.load(model)
  writeFileSync(diesFile, '')
  await expect(machine.ask(model)).rejects.toThrow()
  rmSync(diesFile)
  expect(machine.log.filter((line) => line.startsWith(moved))).toEqual([])
})
