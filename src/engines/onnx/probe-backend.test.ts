/** Probes of ONNX Runtime in a child, with stubs in place of its CUDA provider. */

import { afterAll, expect, test } from 'bun:test'
import { stubProvider } from '../../testing/stub-provider.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { askProbe } from '../backends/ask-probe.ts'
import { onnxCandidates } from '../backends/onnx-candidates.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'

const stub = stubProvider(await runtimePaths(''))
afterAll(() => stub.remove())

async function probe(limitMs = 60_000) {
  const [candidate] = onnxCandidates(stub.runtime)
  if (candidate === undefined) throw new Error('no candidate')
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const { signal } = new AbortController()
  return askProbe(candidate, { spawn, runtime: stub.runtime, limitMs, facts: {}, signal })
}

test('a library of NVIDIA that is missing is named, with what to do', async () => {
  stub.compile('', 'libcublasLt.so.13')
  expect(await probe()).toMatchObject({
    state: 'fails',
    reason: 'library libcublasLt.so.13 is missing',
    nextStep: "run 'inferd gpu install'",
  })
})

test('a driver that is missing is named', async () => {
  stub.compile('', 'libcuda.so.1')
  expect(await probe()).toMatchObject({ reason: "NVIDIA's driver library libcuda.so.1 is missing" })
})

test('a file that is no library fails with what ONNX Runtime says of it', async () => {
  stub.writeGarbage()
  expect(await probe()).toMatchObject({
    state: 'fails',
    lines: expect.arrayContaining([expect.stringContaining('file too short')]),
  })
})

test('a library that ends its process fails', async () => {
  stub.compile('#include <cstdlib>\n__attribute__((constructor)) static void start() { abort(); }')
  expect(await probe()).toMatchObject({ state: 'fails', reason: expect.stringContaining('it ended its process') })
})

test('a library that hangs is ended at the limit', async () => {
  stub.compile('#include <unistd.h>\n__attribute__((constructor)) static void start() { for (;;) pause(); }')
  expect(await probe(2000)).toMatchObject({ state: 'fails', reason: 'it hung: no answer within 2 s' })
})
