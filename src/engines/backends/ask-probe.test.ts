import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StubMode, stubRuntime } from '../../testing/stub-backend/stub-backend.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { askProbe } from './ask-probe.ts'
import { llamaCandidates } from './llama-candidates.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-probe-'))
afterAll(() => rmSync(folder, { recursive: true }))

const spawn = engineSpawn({ command: testedProgram, environment: {} })
const facts = {
  driver: '570.86.15',
  capabilities: ['9.0'],
  code: {
    cudaMajor: 13,
    machineCode: ['86', '89', '120a', '121a'],
    ptx: ['75', '80', '90'].map((architecture) => ({ architecture, version: '9.1' })),
  },
  canBeBuilt: true,
}

async function probe(mode: StubMode, limitMs = 60_000) {
  const runtime = await stubRuntime(mkdtempSync(join(folder, 'box-')), { cuda: mode })
  const [candidate] = llamaCandidates(runtime)
  if (candidate === undefined) throw new Error('the stub is no candidate')
  return askProbe(candidate, { spawn, runtime, limitMs, facts, signal: new AbortController().signal })
}

test('a backend that computes as the CPU does counts, with its devices', async () => {
  expect(await probe('COMPUTES')).toMatchObject({ state: 'computes', devices: [{ name: 'Stub H200' }] })
})

const failures: readonly (readonly [StubMode, reason: string])[] = [
  ['WRONG_NUMBERS', 'it computed wrong numbers'],
  ['ABORTS', 'it ended its process (signal SIGABRT)'],
  ['OLD_DRIVER', 'driver 570.86.15 is too old for this library: it needs 590.44 or newer'],
  ['LACKS_SYMBOL', 'its library does not fit this system: symbol cuNotInThisDriver is missing'],
  [
    'OLD_DRIVER_FOR_PTX',
    'driver 570.86.15 is too old for this library: it has no machine code for compute capability 9.0 (it has 86, 89, 120a, 121a), and compiling it for the card needs 590.44 or newer',
  ],
  [
    'NO_KERNEL',
    "the card's architecture is not in the build: it has no machine code for compute capability 9.0 (it has 86, 89, 120a, 121a)",
  ],
  ['OUT_OF_MEMORY', 'out of memory'],
  ['LACKS_LIBRARY', 'library libcudart.so.99 is missing'],
]

test.each(failures)('a library that %s fails with the reason', async (mode, reason) => {
  expect(await probe(mode)).toMatchObject({ state: 'fails', reason })
})

test('a backend that hangs is ended at the limit', async () => {
  // A child that has not even begun by then gets the same verdict.
  expect(await probe('HANGS', 3_000)).toMatchObject({ state: 'fails', reason: 'it hung: no answer within 3 s' })
}, 60_000)
