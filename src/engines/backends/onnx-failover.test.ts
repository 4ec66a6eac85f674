/** Engines of ONNX Runtime that die of its CUDA provider: a stub provider ends them on command. */

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import type { Work } from '../../core/work.ts'
import { plentyOfMemory, testMemory, testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { starterSpeechModel } from '../../testing/starter-speech.ts'
import { starterTextModel } from '../../testing/starter-text-models.ts'
import { stubProvider } from '../../testing/stub-provider.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { Backends } from './backends.ts'
import { backendCandidates } from './candidates.ts'
import { machineFacts } from './machine-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-failover-'))
const diesFile = join(folder, 'dies')
const stub = stubProvider(await runtimePaths(''))
beforeAll(() => {
  const words = 'CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; file=onnxruntime_providers_cuda ;'
  stub.compile(
    [
      '#include <cstdio>\n#include <cstdlib>\n#include <thread>\n#include <unistd.h>',
      `static void watch() { while (access("${diesFile}", F_OK) != 0) usleep(1000);`,
      `  fputs("${words}\\n", stderr); abort(); }`,
      '__attribute__((constructor)) static void start() { std::thread(watch).detach(); }',
    ].join('\n'),
    undefined,
    ['-Wl,-z,nodelete'],
  )
})
afterEach(() => rmSync(diesFile, { force: true }))
afterAll(() => {
  stub.remove()
  rmSync(folder, { recursive: true })
})

/** Returns a pool on a machine with `cards` cards, on all of which ONNX Runtime computed before. */
function box(device: 'auto' | 'cuda' = 'auto', cards = 1) {
  const indices = Array.from({ length: cards }, (_, index) => index)
  const lines: string[] = []
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const backends = new Backends({
    spawn,
    runtime: async () => stub.runtime,
    candidates: backendCandidates,
    facts: machineFacts(
      {},
      () => ({ nvidiaDriver: '580.95.05', hasLibcuda: true, hasRenderer: false }),
      async () => [],
    ),
    remembered: { recall: () => indices.map((index) => ({ name: `CUDA${index}` })), record: () => undefined },
    log: (_, message) => void lines.push(message),
  })
  const gpus = indices.map((index) => [`gpu${index}`, { totalBytes: 80e9, freeBytes: 80e9 }])
  const machine = { ...plentyOfMemory, ...Object.fromEntries(gpus) }
  const pool = testPool({
    ...{ spawn, backends, settings: { ...testEngineSettings, device } },
    runtime: (wanted, kind) => backends.runtime(wanted, kind),
    memory: { ...testMemory, readings: machine, read: async () => machine },
  })
  const run = async (model: InstalledModel, work: Work<'embed'> | Work<'speak'>) => {
    const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
    const types: string[] = []
    for await (const { type } of pool.run<Work>(model, work, context)) types.push(type)
    return types
  }
  const statusOf = (model: InstalledModel) => pool.status().find(({ modelId }) => modelId === model.manifest.id)
  return { pool, lines, run, statusOf, backends, [Symbol.asyncDispose]: () => pool.stop() }
}

const text = starterTextModel('embedding')
const voice = starterSpeechModel('tts')
const speak: Work<'speak'> = {
  kind: 'speak',
  request: { input: 'The meeting begins at nine. '.repeat(10), voice: 'nova', speed: 1, format: 'pcm' },
}
const embed = (count: number): Work<'embed'> => ({
  kind: 'embed',
  request: { inputs: Array.from({ length: count }, (_, index) => `moon ${index} `.repeat(200)) },
})

test('a request that had given nothing is replayed on the CPU, and every engine of the library follows', async () => {
  await using machine = box()
  await machine.pool.load(text)
  await machine.pool.load(voice)
  expect([text, voice].map((model) => machine.statusOf(model)?.placement)).toEqual(['gpu0', 'gpu0'])
  const asked = machine.run(text, embed(24))
  while (machine.statusOf(text)?.running !== 1) await new Promise(setImmediate)
  writeFileSync(diesFile, '')
  expect(await asked).toContain('finish')
  expect(machine.statusOf(text)).toMatchObject({ placement: 'CPU', restarts: 1 })
  expect(machine.statusOf(text)?.lastExit).toStartWith('a kernel failed on the card (illegal memory access)')
  expect(machine.lines).toEqual([expect.stringMatching(/^ONNX Runtime on CUDA \(onnx\) does not compute: a kernel/)])
  expect(await machine.run(voice, speak)).toContain('finish')
  expect(machine.statusOf(voice)?.placement).toBe('CPU')
})

test('a voice of a library that dies speaks on the CPU', async () => {
  await using machine = box()
  await machine.pool.load(voice)
  writeFileSync(diesFile, '')
  // A request that has already produced output is not run again.
  expect(await machine.run(voice, speak).catch(() => machine.run(voice, speak))).toContain('finish')
  expect(machine.statusOf(voice)).toMatchObject({ placement: 'CPU', restarts: 1 })
  expect(machine.statusOf(voice)?.lastExit).toStartWith('a kernel failed on the card (illegal memory access)')
})

test('a named device that dies is an error for texts, with reason and next step', async () => {
  await using machine = box('cuda')
  await machine.pool.load(text)
  const asked = machine.run(text, embed(24))
  while (machine.statusOf(text)?.running !== 1) await new Promise(setImmediate)
  writeFileSync(diesFile, '')
  await expect(asked).rejects.toThrow('could not be loaded')
  expect(machine.statusOf(text)?.failedLoad).toMatch(
    /^device 'cuda' cannot be used: a kernel failed on the card \(illegal memory access\); .*\. Or choose --device auto or cpu/,
  )
})

test('of two cards the one is left alone: texts move to the other, speech, which takes the first alone, to the CPU', async () => {
  await using machine = box('auto', 2)
  await machine.pool.load(text)
  expect(machine.statusOf(text)?.placement).toBe('gpu0')
  const { pid } = machine.statusOf(text) ?? {}
  const asked = machine.run(text, embed(24))
  while (machine.statusOf(text)?.running !== 1) await new Promise(setImmediate)
  writeFileSync(diesFile, '')
  while (machine.statusOf(text)?.pid === pid) await new Promise(setImmediate)
  rmSync(diesFile)
  expect(await asked).toContain('finish')
  expect(machine.statusOf(text)).toMatchObject({ placement: 'gpu1', restarts: 1 })
  expect(machine.lines).toEqual([
    expect.stringMatching(/^ONNX Runtime on CUDA on gpu0 \(onnx\) does not compute: a kernel/),
  ])
  await machine.pool.load(voice)
  expect(machine.statusOf(voice)?.placement).toBe('CPU')
})
