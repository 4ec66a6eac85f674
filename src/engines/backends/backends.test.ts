import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { type StubBuilds, stubRuntime } from '../../testing/stub-backend/stub-backend.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { engineSpawn } from '../spawn-engine.ts'
import { unlimited } from '../work-engines.ts'
import { Backends, compilesFor, type RememberedProbes } from './backends.ts'
import { backendCandidates } from './candidates.ts'
import { chooseBackend } from './choose-backend.ts'
import { machineFacts } from './machine-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-backends-'))
afterAll(() => rmSync(folder, { recursive: true }))

const card = { uuid: 'GPU-1', name: 'H200', driver: '570.86.15', computeCapability: '9.0', migMode: 'Disabled' }
const signs = { nvidiaDriver: '570.86.15', hasLibcuda: true, hasRenderer: false }

interface Box {
  readonly diesFile?: string
  readonly remembered?: RememberedProbes
  readonly driver?: string
  readonly hasGpu?: boolean
}

async function box(builds: StubBuilds, options: Box = {}) {
  const { diesFile = '', driver = card.driver, hasGpu = true } = options
  const runtime = await stubRuntime(mkdtempSync(join(folder, 'box-')), builds, diesFile)
  const lines: string[] = []
  let probes = 0
  const spawn = engineSpawn({ command: [process.execPath, join(import.meta.dir, '../../main.ts')], environment: {} })
  const backends = new Backends({
    spawn: (...asked) => {
      probes++
      return spawn(...asked)
    },
    runtime: async () => runtime,
    candidates: backendCandidates,
    facts: machineFacts(
      {},
      () => (hasGpu ? { ...signs, nvidiaDriver: driver } : { hasLibcuda: false, hasRenderer: false }),
      async () => [{ ...card, driver }],
    ),
    remembered: options.remembered ?? { recall: () => undefined, record: () => undefined },
    log: (_level, message) => void lines.push(message),
  })
  return { backends, runtime, spawn, lines, probes: () => probes }
}

function memory(): RememberedProbes {
  const kept = new Map<string, readonly { readonly name: string }[]>()
  return {
    recall: (key) => kept.get(JSON.stringify(key)),
    record: (key, devices) => void kept.set(JSON.stringify(key), devices),
  }
}

test('the first backend that computes is taken; what fails is chosen around and told', async () => {
  const { backends, lines } = await box({ cuda: 'OLD_DRIVER_FOR_PTX', 'cuda-12': 'COMPUTES' })
  const { backends: judged } = await backends.runtime()
  expect(chooseBackend(judged?.llama ?? [], 'auto')).toMatchObject({ backend: { id: 'cuda-12' } })
  expect(lines[0]).toStartWith('CUDA build (llama) does not compute: driver 570.86.15 is too old for this library')
  expect(lines[1]).toStartWith('CUDA 12 build (llama) computes on Stub H200; tried in')
})

test('a machine without a GPU probes nothing and computes on the CPU', async () => {
  const { backends, probes } = await box({ cuda: 'HANGS' }, { hasGpu: false })
  const { backends: judged } = await backends.runtime()
  expect(chooseBackend(judged?.llama ?? [], 'auto')).toMatchObject({ backend: { id: 'cpu' } })
  expect(probes()).toBe(0)
})

test('a named device that does not compute is an error with reason and next step', async () => {
  const { backends } = await box({ cuda: 'LACKS_LIBRARY' })
  const { backends: judged } = await backends.runtime('cuda')
  expect(chooseBackend(judged?.llama ?? [], 'cuda')).toEqual({
    problem:
      "device 'cuda' cannot be used: CUDA build: library libcudart.so.99 is missing; run 'inferd gpu install'. Or choose --device auto or cpu",
  })
})

test('a success is remembered until the driver changes, a failure until the next start', async () => {
  const remembered = memory()
  const first = await box({ cuda: 'COMPUTES' }, { remembered })
  await first.backends.runtime()
  await first.backends.runtime()
  expect(first.probes()).toBe(1)
  const second = await box({ cuda: 'COMPUTES' }, { remembered })
  await second.backends.runtime()
  expect(second.probes()).toBe(0)
  await second.backends.probeAll()
  expect(second.probes()).toBe(1)
  const updated = await box({ cuda: 'COMPUTES' }, { remembered, driver: '590.44' })
  await updated.backends.runtime()
  expect(updated.probes()).toBe(1)
  const failed = await box({ cuda: 'ABORTS' }, { remembered })
  await failed.backends.runtime()
  expect((await box({ cuda: 'ABORTS' }, { remembered })).backends.report()).toEqual([])
})

test('kernels are compiled where the library has no machine code for the card', () => {
  const code = { machineCode: ['86', '89', '120a'], ptx: ['75', '90'] }
  expect(['9.0', '8.9', '8.6', '8.0', '12.0', '12.1'].map((card) => compilesFor([card], code))).toEqual([
    ...[true, false, false, true, false, true],
  ])
})

test('an engine that dies of its backend is loaded on the next one, and its request is answered', async () => {
  const diesFile = join(folder, 'dies')
  const { backends, spawn, lines } = await box({ cuda: 'DIES_LATER' }, { diesFile })
  const pool = testPool({
    spawn,
    settings: { ...testEngineSettings, device: 'auto' },
    runtime: (device) => backends.runtime(device),
    backendFailure: (kind, device, last) => backends.noteEnd(kind, device, last),
  })
  const file = join(import.meta.dir, '../../../models/starter/starter-chat-q8_0.gguf')
  const model: InstalledModel = {
    manifest: testManifest({ id: 'test/starter', type: 'chat', engine: 'llama', contextLength: 512 }),
    filePaths: { model: file },
  }
  const ask = async () => {
    const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
    const events: string[] = []
    const request = chatRequest({ maxTokens: 4 })
    for await (const event of pool.run(model, { kind: 'chat', request }, context)) events.push(event.type)
    return events
  }
  try {
    await pool.load(model)
    expect(pool.status()[0]?.info).toMatchObject({ device: 'cuda', description: expect.stringContaining('Stub H200') })
    writeFileSync(diesFile, '')
    expect(await ask()).toContain('finish')
    const [status] = pool.status()
    expect(status?.info).toMatchObject({ device: 'cpu' })
    expect(status?.lastExit).toStartWith('a kernel failed on the card (illegal memory access)')
    expect(status?.lastFailure?.lines.join('\n')).toContain('CUDA error: an illegal memory access was encountered')
    expect(lines.at(-1)).toStartWith('CUDA build (llama) does not compute: a kernel failed on the card')
  } finally {
    await pool.stop()
  }
})
