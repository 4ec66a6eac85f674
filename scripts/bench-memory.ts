/**
 * Compares the estimated memory of a model with the peak of its engine process during a prompt of more than a
 * micro-batch. Uses generated models of several architectures and sizes, on the CPU.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { textContent } from '../src/core/content.ts'
import type { Placement } from '../src/core/memory.ts'
import type { InstalledModel } from '../src/core/model.ts'
import type { EngineInfo } from '../src/core/model-state.ts'
import { estimatePlacements } from '../src/engines/estimate.ts'
import { engineSpawn } from '../src/engines/host/spawn-engine.ts'
import { type FromEngine, protocolVersion } from '../src/engines/protocol/messages.ts'
import { runtimePaths } from '../src/engines/runtime/runtime-paths.ts'
import { readProcessMemory } from '../src/machine/process-memory.ts'
import { chatRequest } from '../src/testing/chat-request.ts'
import { testEngineSettings } from '../src/testing/engine-settings.ts'
import { writeModel } from '../src/testing/gguf/model-file.ts'
import { modelOfShape, sizedShape } from '../src/testing/gguf/sized-shape.ts'
import { testManifest } from '../src/testing/test-manifest.ts'
import { runScript } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'

const usage = 'usage: bun run bench:memory'
const root = join(import.meta.dir, '..')
const folder = join(root, 'build', 'bench-memory')
const kinds = [
  { architecture: 'qwen3', weights: 'q8_0' },
  { architecture: 'qwen3', weights: 'q4_0' },
  { architecture: 'gemma3', weights: 'q8_0' },
  { architecture: 'qwen35moe', weights: 'q8_0' },
] as const
const megabytes = [50, 300, 1000]
const settings = { ...testEngineSettings, contextTokens: 8192, parallel: 8, batchTokens: 128, prefixCacheMb: 0 }
const goalPercent = 5

const spawn = engineSpawn({ command: [process.execPath, join(root, 'src/main.ts')], environment: {} })

async function main(): Promise<number> {
  const rows: string[][] = []
  let isWithinGoal = true
  mkdirSync(folder, { recursive: true })
  for (const { architecture, weights } of kinds) {
    for (const size of megabytes) {
      const path = join(folder, `${architecture}-${weights}-${size}.gguf`)
      await writeModel(modelOfShape(architecture, sizedShape(architecture, 'bench', size * 1e6), { weights }), path)
      const { needBytes, told, peakBytes } = await compare(path)
      const bytes = Bun.file(path).size
      rmSync(path)
      const errorPercent = (needBytes / peakBytes - 1) * 100
      isWithinGoal &&= Math.abs(errorPercent) <= goalPercent
      rows.push([
        architecture,
        weights,
        `${Math.round(bytes / 1e6)}`,
        ...[told, needBytes, peakBytes].map(mebibytes),
        errorPercent.toFixed(1),
      ])
      console.error(rows.at(-1)?.join(' '))
    }
  }
  const head = ['architecture', 'weights', 'MB', 'llama.cpp tells, MiB', 'estimate, MiB', 'peak, MiB', 'error, %']
  console.log(markdownTable(head, rows).join('\n'))
  return isWithinGoal ? 0 : 1
}

async function compare(path: string) {
  const model = { manifest: testManifest({ id: 'bench/model', engine: 'llama' }), filePaths: { model: path } }
  const [placement] = await estimatePlacements(
    model,
    { spawn, settings, runtime: () => runtimePaths(''), budgetBytes: { host: Number.MAX_SAFE_INTEGER } },
    new AbortController().signal,
  )
  if (placement === undefined) throw new Error('there is a placement: this is a bug')
  const { info, peakBytes } = await peakOf(model, placement)
  const parts = Object.values(info.memory?.host ?? {})
  return { needBytes: placement.needBytes.host ?? 0, told: parts.reduce((sum, part) => sum + part, 0), peakBytes }
}

/** Returns the highest resident memory of an engine that answers one request. */
async function peakOf(model: InstalledModel, { load }: Placement): Promise<{ info: EngineInfo; peakBytes: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ info: EngineInfo; peakBytes: number }>()
  let info: EngineInfo | undefined
  const child: ReturnType<typeof spawn> = spawn('llama', {
    onExit: (reason) => reject(new Error(`the engine ended: ${reason}`)),
    onLogLine: (line) => console.error(line),
    onMessage: (message: FromEngine) => {
      if (message.type === 'load-failed') reject(new Error(message.message))
      if (message.type === 'ready') {
        info = message.info
        const text = '1 '.repeat(settings.batchTokens)
        const messages = [{ role: 'user' as const, content: textContent(text) }]
        const request = chatRequest({ messages, maxTokens: 2, reasoning: { mode: 'off' } })
        child.send({ type: 'run', id: 1, accountId: 'acc_1', work: { kind: 'chat', request } })
      }
      for (const event of message.type === 'events' ? message.events : []) {
        if ('prepared' in event)
          child.send({ type: 'grant', id: 1, grant: { limit: event.prepared.most, isFinal: true } })
        if ('error' in event) reject(new Error(event.error.message))
        if ('event' in event && event.event.type === 'finish' && info !== undefined) {
          resolve({ info, peakBytes: readProcessMemory([child.pid]).get(child.pid)?.peakBytes ?? Number.NaN })
        }
      }
    },
  })
  const runtime = await runtimePaths('')
  const common = { version: protocolVersion, kind: 'llama', settings, runtime, isCautious: false } as const
  child.send({ type: 'load', ...common, model, placement: load })
  try {
    return await promise
  } finally {
    child.kill('SIGKILL')
  }
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0)
}

runScript(usage, main)
