import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StubBuilds } from '../../testing/stub-backend/stub-backend.ts'
import { type StubBoxOptions, stubBox } from '../../testing/stub-backend/stub-box.ts'
import type { RememberedProbes } from './backends.ts'
import { chooseBackend } from './choose-backend.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-backends-'))
afterAll(() => rmSync(folder, { recursive: true }))

const box = (builds: StubBuilds, options?: StubBoxOptions) => stubBox(folder, builds, options)

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
      "device 'cuda' cannot be used: CUDA build: library libcudart.so.99 is missing; install it from your distribution or with the CUDA toolkit of that version. Or choose --device auto or cpu",
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

test('who asks what computes is not held up by a library that hangs', async () => {
  const { backends } = await box({ cuda: 'HANGS' })
  const judged = await backends.tried(100)
  expect(judged.map(({ id, verdict }) => [id, verdict.state])).toContainEqual(['cuda', 'trying'])
  backends.stop()
})

test('a library without machine code for the card is being compiled for it while it is tried, and loads with it compile', async () => {
  const begun = Promise.withResolvers<void>()
  const code = { cudaMajor: 13, machineCode: ['86'], ptx: [{ architecture: '90', version: '9.0' }] }
  const hanging = await box({ cuda: 'HANGS' }, { code, onProbe: begun.resolve })
  const asked = hanging.backends.runtime()
  asked.catch(() => undefined)
  await begun.promise
  expect(hanging.backends.report()[0]?.verdict).toEqual({ state: 'trying', compiles: true })
  expect(hanging.lines).toEqual(['CUDA build: compiling for this card, once'])
  hanging.backends.stop()
  for (const [machineCode, compiles] of [
    [['86'], true],
    [['90'], false],
  ] as const) {
    const { backends } = await box({ cuda: 'COMPUTES' }, { code: { ...code, machineCode } })
    await backends.runtime()
    expect(backends.compiles('llama', 'auto')).toBe(compiles)
    expect(backends.compiles('llama', 'cpu')).toBe(false)
  }
})

test('who asks what computes learns of a failure without loading a model', async () => {
  const { backends } = await box({ cuda: 'LACKS_LIBRARY' })
  const judged = await backends.tried(30_000)
  expect(judged[0]?.verdict).toMatchObject({ state: 'fails', reason: 'library libcudart.so.99 is missing' })
})

test('all missing libraries are named at once', async () => {
  const missing = ['libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13']
  const { backends } = await box({ cuda: 'LACKS_LIBRARY' }, { missingLibraries: () => missing })
  await backends.runtime()
  expect(backends.report()[0]?.verdict).toMatchObject({
    reason: 'libraries libcudart.so.99, libcudart.so.13, libcublas.so.13 and libcublasLt.so.13 are missing',
    nextStep: "run 'inferd gpu install'",
  })
})

test('a probe that was killed from outside, or lacked memory, is tried again after a while', async () => {
  for (const mode of ['KILLED', 'OUT_OF_MEMORY'] as const) {
    const soon = await box({ cuda: mode }, { retryAfterMs: 0 })
    const later = await box({ cuda: mode }, { retryAfterMs: 3_600_000 })
    for (const { backends } of [soon, soon, later, later]) await backends.runtime()
    expect({ mode, soon: soon.probes(), later: later.probes() }).toEqual({ mode, soon: 2, later: 1 })
  }
  const aborts = await box({ cuda: 'ABORTS' }, { retryAfterMs: 0 })
  for (let time = 0; time < 2; time++) await aborts.backends.runtime()
  expect(aborts.probes()).toBe(1)
})

test('loads at once share a probe, and an engine waits for those of its own library alone', async () => {
  const { backends, probes } = await box({ cuda: 'COMPUTES' })
  await backends.runtime('auto', 'upstream')
  await backends.runtime('auto', 'speech')
  expect(probes()).toBe(0)
  await Promise.all([backends.runtime('auto', 'llama'), backends.runtime('auto', 'llama'), backends.runtime('cuda')])
  expect(probes()).toBe(1)
})

test('a server that stops ends the probe that runs, and begins none', async () => {
  const begun = Promise.withResolvers<void>()
  const hanging = await box({ cuda: 'HANGS' }, { onProbe: begun.resolve })
  const asked = hanging.backends.runtime()
  asked.catch(() => undefined)
  await begun.promise
  hanging.backends.stop()
  await expect(asked).rejects.toThrow('the server stops')
  await expect(hanging.backends.runtime()).rejects.toThrow('the server stops')
  expect(hanging.probes()).toBe(1)
})

test.each(['ABORTS', 'WRONG_NUMBERS', 'NO_KERNEL'] as const)(
  'of two cards of which the first %s the other one is used, and the first is told',
  async (mode) => {
    const remembered = memory()
    const { backends, lines } = await box({ cuda: mode, devices: 2 }, { remembered })
    const { backends: judged } = await backends.runtime()
    expect(judged?.llama?.[0]?.verdict).toMatchObject({
      ...{ state: 'computes', devices: [{ name: 'Stub H200', index: 1 }], failing: [{ index: 0 }] },
    })
    expect(lines[0]).toBe('CUDA build (llama) computes on Stub H200')
    expect(lines[1]).toStartWith('CUDA build on gpu0 (llama) does not compute: ')
    expect(backends.problems()[0]).toMatchObject({
      text: expect.stringMatching(/^CUDA build does not compute on gpu0: .*; models use the other cards$/),
      severity: 'warn',
    })
    expect(backends.chosen('llama', 'auto')).toBe('cuda on 1')
    // The next server tries the first device again.
    const next = await box({ cuda: 'COMPUTES', devices: 2 }, { remembered })
    await next.backends.runtime()
    expect(next.probes()).toBe(1)
    expect(next.backends.chosen('llama', 'auto')).toBe('cuda')
  },
  60_000,
)
