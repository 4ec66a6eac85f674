import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { plentyOfMemory, testMemory, testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import type { StubBuilds } from '../../testing/stub-backend/stub-backend.ts'
import { stubBox } from '../../testing/stub-backend/stub-box.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import type { EnginePool } from '../pool.ts'
import { unlimited } from '../protocol/work-engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-failover-'))
const diesFile = join(folder, 'dies')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => rmSync(diesFile, { force: true }))

const file = join(import.meta.dir, '../../../models/starter/starter-chat-q8_0.gguf')

function starter(name: string): InstalledModel {
  const id = `test/${name}`
  return {
    manifest: testManifest({ id, type: 'chat', engine: 'llama', contextLength: 512 }),
    filePaths: { model: file },
  }
}

const first = starter('first')
const second = starter('second')

async function boxWithPool(builds: StubBuilds, device: 'auto' | 'cuda' = 'auto') {
  const { backends, spawn, lines } = await stubBox(folder, builds, { diesFile })
  const pool = testPool({
    ...{ spawn, backends, settings: { ...testEngineSettings, device } },
    runtime: (wanted, kind) => backends.runtime(wanted, kind),
  })
  const ask = async (model: InstalledModel, { maxTokens = 4, onText = () => {} } = {}) => {
    const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
    const events: string[] = []
    for await (const event of pool.run(model, { kind: 'chat', request: chatRequest({ maxTokens }) }, context)) {
      events.push(event.type)
      if (event.type.endsWith('-delta')) onText()
    }
    return events
  }
  const statusOf = ({ manifest }: InstalledModel) => pool.status().find(({ modelId }) => modelId === manifest.id)
  const deviceOf = (model: InstalledModel) => statusOf(model)?.info?.device
  return { backends, pool, lines, ask, statusOf, deviceOf, [Symbol.asyncDispose]: () => pool.stop() }
}

test('an engine that dies of its backend is loaded on the next one, and its request is answered', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER' })
  await box.pool.load(first)
  expect(box.statusOf(first)?.info).toMatchObject({
    device: 'cuda',
    description: expect.stringContaining('Stub H200'),
  })
  writeFileSync(diesFile, '')
  expect(await box.ask(first)).toContain('finish')
  const status = box.statusOf(first)
  expect(status?.info).toMatchObject({ device: 'cpu' })
  expect(status?.lastExit).toStartWith('a kernel failed on the card (illegal memory access)')
  expect(status?.lastFailure?.lines.join('\n')).toContain('CUDA error: an illegal memory access was encountered')
  expect(box.lines.at(-1)).toStartWith('CUDA build (llama) does not compute: a kernel failed on the card')
})

test('every model of a backend that fails is loaded on the next one, and what it had computed before is not blamed', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER', 'cuda-12': 'COMPUTES' })
  await box.backends.probeAll()
  for (const model of [first, second]) await box.pool.load(model)
  writeFileSync(diesFile, '')
  for (const model of [first, second]) expect(await box.ask(model)).toContain('finish')
  expect([first, second].map(box.deviceOf)).toEqual(['cuda', 'cuda'])
  const states = box.backends.report().map(({ id, verdict }) => [id, verdict.state])
  expect(states.slice(0, 2)).toEqual([
    ['cuda', 'fails'],
    ['cuda-12', 'computes'],
  ])
})

test('a model that was unloaded before its backend failed is loaded on the next one', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER' })
  for (const model of [first, second]) await box.pool.load(model)
  await box.pool.unload(second.manifest.id)
  writeFileSync(diesFile, '')
  expect(await box.ask(first)).toContain('finish')
  expect(await box.ask(second)).toContain('finish')
  expect([first, second].map(box.deviceOf)).toEqual(['cpu', 'cpu'])
  expect([first, second].map((model) => box.statusOf(model)?.placement)).toEqual(['CPU', 'CPU'])
  expect(box.statusOf(second)?.failedLoad).toBeUndefined()
})

test('an answer that has begun ends with an error, and the next one is computed on the next backend', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER' })
  const asked = box.ask(first, { maxTokens: 400, onText: () => writeFileSync(diesFile, '') })
  await expect(asked).rejects.toThrow('stopped working')
  expect(await box.ask(first)).toContain('finish')
  expect(box.deviceOf(first)).toBe('cpu')
})

test('a backend that computes again when it is probed takes its models back', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER' })
  await box.pool.load(first)
  writeFileSync(diesFile, '')
  expect(await box.ask(first)).toContain('finish')
  rmSync(diesFile)
  await box.backends.probeAll()
  box.pool.followBackends()
  expect(await box.ask(first)).toContain('finish')
  expect(box.deviceOf(first)).toBe('cuda')
})

test('a named device that fails while it serves is an error with reason and next step for the operator', async () => {
  await using box = await boxWithPool({ cuda: 'DIES_LATER' }, 'cuda')
  await box.pool.load(first)
  writeFileSync(diesFile, '')
  const problem =
    /device 'cuda' cannot be used: CUDA build: a kernel failed on the card \(illegal memory access\); .*choose --device auto or cpu/
  await expect(box.ask(first)).rejects.toThrow('could not be loaded')
  expect(box.statusOf(first)?.failedLoad).toMatch(problem)
})

/** A pool on a machine with two cards. */
async function twoCards(builds: StubBuilds) {
  const { backends, spawn, lines } = await stubBox(folder, { devices: 2, ...builds }, { diesFile })
  const card = { totalBytes: 8 * 2 ** 30, freeBytes: 8 * 2 ** 30 }
  const machine = { ...plentyOfMemory, gpu0: card, gpu1: card }
  const pool = testPool({
    ...{ spawn, backends, settings: { ...testEngineSettings, device: 'auto' } },
    runtime: (wanted, kind) => backends.runtime(wanted, kind),
    memory: { ...testMemory, readings: machine, read: async () => machine },
  })
  const statusOf = ({ manifest }: InstalledModel) => pool.status().find(({ modelId }) => modelId === manifest.id)
  return { pool, backends, lines, statusOf, [Symbol.asyncDispose]: () => pool.stop() }
}

async function answered(pool: EnginePool, model: InstalledModel): Promise<readonly string[]> {
  const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
  const events = pool.run(model, { kind: 'chat', request: chatRequest({ maxTokens: 4 }) }, context)
  return (await Array.fromAsync(events)).map(({ type }) => type)
}

test('a model is loaded on the card that computes where another one does not', async () => {
  await using box = await twoCards({ cuda: 'ABORTS' })
  await box.pool.load(first)
  expect(box.statusOf(first)).toMatchObject({ state: 'ready', placement: 'gpu1', info: { device: 'cuda' } })
})

test('a card that fails while it serves is left alone: its model moves to the other one, whose models go on', async () => {
  await using box = await twoCards({ cuda: 'DIES_LATER', 'cuda-12': 'COMPUTES' })
  await box.pool.load(first)
  expect(box.statusOf(first)?.placement).toBe('gpu0')
  writeFileSync(diesFile, '')
  expect(await answered(box.pool, first)).toContain('finish')
  expect(box.statusOf(first)).toMatchObject({ placement: 'gpu1', restarts: 1, info: { device: 'cuda' } })
  expect(box.statusOf(first)?.lastExit).toStartWith('a kernel failed on the card (illegal memory access)')
  expect(box.lines.at(-1)).toStartWith('CUDA build on gpu0 (llama) does not compute: a kernel failed on the card')
  const { pid } = box.statusOf(first) ?? {}
  // Other models use the remaining card, so the next library is not needed.
  expect(await answered(box.pool, second)).toContain('finish')
  expect(box.statusOf(second)).toMatchObject({ placement: 'gpu1', restarts: 0 })
  expect(box.statusOf(first)).toMatchObject({ pid, restarts: 1 })
  const states = box.backends.report().map(({ id, verdict }) => [id, verdict.state])
  expect(states.slice(0, 2)).toEqual([
    ['cuda', 'computes'],
    ['cuda-12', 'untried'],
  ])
  expect(box.backends.problems()[0]).toMatchObject({
    text: expect.stringContaining('CUDA build does not compute on gpu0: a kernel failed'),
    severity: 'warn',
  })
})

test('a card that computes again when it is probed is used again', async () => {
  await using box = await twoCards({ cuda: 'DIES_LATER' })
  await box.pool.load(first)
  writeFileSync(diesFile, '')
  expect(await answered(box.pool, first)).toContain('finish')
  rmSync(diesFile)
  await box.backends.probeAll()
  box.pool.followBackends()
  expect(await answered(box.pool, first)).toContain('finish')
  expect(box.statusOf(first)?.placement).toBe('gpu0')
  expect(box.backends.problems().filter(({ text }) => text.includes('does not compute'))).toEqual([])
})

test('of a model on both cards only the card is left alone that the error names', async () => {
  const { backends } = await stubBox(folder, { cuda: 'COMPUTES', devices: 2 })
  const runtime = await backends.runtime()
  const lines = ['CUDA error: unspecified launch failure', '  current device: 1, in function f at ggml-cuda.cu:9']
  backends.noteEnd({ kind: 'llama', device: 'auto', runtime, devices: [0, 1], lines })
  const part = { state: 'computes', devices: [{ index: 0 }], failing: [{ index: 1 }] }
  expect(backends.report()[0]?.verdict).toMatchObject(part)
  // An engine started earlier dies on the same card, then one on the other card.
  backends.noteEnd({ kind: 'llama', device: 'auto', runtime, devices: [1], lines })
  expect(backends.report()[0]?.verdict).toMatchObject(part)
  backends.noteEnd({ kind: 'llama', device: 'auto', runtime, devices: [0], lines })
  expect(backends.report()[0]?.verdict.state).toBe('fails')
})
