/** Messages of failed loads in the engine's own child. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { type FromEngine, protocolVersion } from '../protocol/messages.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'

const root = join(import.meta.dir, '..', '..', '..')
const inferd = testedProgram
const starter = join(root, 'models/starter/starter-chat-q8_0.gguf')

interface Load {
  readonly path?: string
  readonly contextTokens: number
  readonly command?: readonly string[]
}

/** Loads a model in a child. Returns the child's answer and the reason for its end. */
async function load({ path = starter, contextTokens, command = inferd }: Load) {
  const runtime = await runtimePaths('')
  const model = { manifest: testManifest({ id: 'a/b', engine: 'llama' }), filePaths: { model: path } }
  const settings = { ...testEngineSettings, contextTokens }
  let last: FromEngine | undefined
  const reason = await new Promise<string>((resolve) => {
    const child = engineSpawn({ command, environment: {} })('llama', {
      onMessage: (message) => {
        if (message.type !== 'stats') last = message
        if (message.type === 'ready') child.send({ type: 'stop' })
      },
      onExit: resolve,
      onLogLine: () => undefined,
    })
    child.send({ type: 'load', version: protocolVersion, kind: 'llama', model, settings, runtime, isCautious: false })
  })
  return { last, reason }
}

/**
 * Returns a command under a memory limit, like a machine with less memory: the kernel refuses allocations beyond it.
 */
function withinKilobytes(limit: number): string[] {
  return ['/bin/sh', '-c', `ulimit -v ${limit}; exec "$@"`, 'sh', ...inferd]
}

test('a cache for which there is no memory is that, and not a bad model', async () => {
  // 1,048,576 tokens of the starter model take 2.5 GiB.
  const { last, reason } = await load({ contextTokens: 1_048_576, command: withinKilobytes(3_000_000) })
  expect(last).toMatchObject({ type: 'load-failed', code: 'out-of-memory' })
  expect(last).toHaveProperty('message', expect.stringContaining('failed to allocate'))
  expect(reason).toBe('exit code 1')
}, 60_000)

test('what fits is loaded, and says what it holds', async () => {
  const { last } = await load({ contextTokens: 1024, command: withinKilobytes(3_000_000) })
  const host = { modelBytes: expect.any(Number), contextBytes: 2.5 * 1024 * 1024, computeBytes: expect.any(Number) }
  expect(last).toMatchObject({ type: 'ready', info: { memory: { host } } })
}, 60_000)

test('a file that is no model is a bad model', async () => {
  const { last } = await load({ path: join(root, 'package.json'), contextTokens: 1024 })
  expect(last).toMatchObject({ type: 'load-failed', code: 'bad-model', message: expect.stringContaining('magic') })
}, 60_000)
