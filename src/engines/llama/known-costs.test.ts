/** Step costs that one load of the starter model leaves to the next. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { textContent } from '../../core/content.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { SizeTimes, StepCurve } from '../../core/step-costs.ts'
import { ModelMemory } from '../../memory/model-memory.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { plentyOfMemory, testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { endBias, startStarterEngine } from '../../testing/starter-engine.ts'
import { openTestAccounts } from '../../testing/test-accounts.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import type { EnginePool } from '../pool.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'

const root = join(import.meta.dir, '../../..')
const filePaths = { model: join(root, 'models/starter/starter-chat-q8_0.gguf') }
const runtime = await runtimePaths('')

function startEngine(stepCurves: readonly StepCurve[] = []) {
  const settings = { parallel: 4, contextTokens: 2048 }
  return startStarterEngine(settings, {}, undefined, undefined, undefined, undefined, [], stepCurves)
}

const fourAnswers = { choices: 4, maxTokens: 20, sampling: { temperature: 0, logitBias: endBias } }

/** Returns the known costs: times in milliseconds by number of rows. */
function known(...times: readonly (readonly [rows: number, ms: number])[]): SizeTimes[] {
  return times.map(([rows, ms]) => [rows, [ms, ms, ms]])
}

test('the first steps after a load are planned by what the last load measured', async () => {
  const first = await startEngine()
  await first.ask(fourAnswers)
  const [curve] = first.engine.stats().stepCurves ?? []
  if (curve === undefined) throw new Error('no costs were measured')
  expect(curve.threads).toBe(first.engine.stats().threads)
  expect(curve.answers.length).toBeGreaterThan(0)
  expect(curve.promptRow.length).toBeGreaterThan(0)

  // The costs differ so much that no measurement of these few steps changes their order.
  const dearTogether = [{ ...curve, answers: known([1, 0.001], [2, 1e9], [3, 1e9], [4, 1e9]) }]
  const oneByOne = await startEngine(dearTogether)
  expect(oneByOne.engine.stats().stepCurves).toEqual(dearTogether)
  await oneByOne.ask(fourAnswers)
  expect(oneByOne.engine.stats().steps).toBeGreaterThan(70)

  const dearAlone = [{ ...curve, answers: known([1, 1e9], [2, 0.001], [3, 0.001], [4, 0.001]) }]
  const together = await startEngine(dearAlone)
  await together.ask(fourAnswers)
  expect(together.engine.stats().steps).toBeLessThan(40)
})

async function ask(pool: EnginePool, model: InstalledModel): Promise<void> {
  const messages = [{ role: 'user' as const, content: textContent('Hello!') }]
  const request = chatRequest({ messages, maxTokens: 8 })
  const context = { accountId: 'acc_a', signal: new AbortController().signal, meter: unlimited }
  for await (const _ of pool.run(model, { kind: 'chat', request }, context)) void _
}

test('costs are kept from server to server, for the same program, files and settings', async () => {
  using books = openTestAccounts()
  /**
   * Loads the model in a server, optionally asks it, and returns the curves that the engine has before its first step.
   */
  const serve = async ({ version = '1', filesVersion = 'f1', parallel = 4, asks = false } = {}) => {
    const { stores } = books
    const memory = new ModelMemory({
      ...{ version, store: stores.measuredMemory, dryRuns: stores.dryRuns, stepCurves: stores.stepCurves },
      write: (work) => work(),
      readMemory: async () => plentyOfMemory,
    })
    const settings = { ...testEngineSettings, parallel, contextTokens: 2048 }
    const pool = testPool({ settings, memory, runtime: async () => runtime })
    const model = { manifest: testManifest({ id: 'a/b', engine: 'llama' }), filePaths, filesVersion }
    await pool.load(model)
    const stats = await pool.stats('a/b')
    if (asks) await ask(pool, model)
    await pool.stop()
    return stats?.stepCurves
  }
  expect(await serve({ asks: true })).toEqual([])
  const curves = (await serve()) ?? []
  expect(curves).toHaveLength(1)
  expect(curves[0]?.answers[0]?.[0]).toBe(1)
  expect(await serve()).toEqual(curves)
  expect(await serve({ version: '2' })).toEqual([])
  expect(await serve({ filesVersion: 'f2' })).toEqual([])
  expect(await serve({ parallel: 2 })).toEqual([])
  books.database.run('UPDATE step_curves SET curves = \'[{"threads":1}]\'')
  expect(await serve()).toEqual([])
}, 60_000)
