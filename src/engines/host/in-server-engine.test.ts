import { afterEach, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work, WorkKind } from '../../core/work.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { noRuntimePaths } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { ManualClock } from '../../testing/manual-clock.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import type { Engine, EngineSetup, LoadEngine } from '../protocol/engine.ts'
import { LoadError } from '../protocol/load-error.ts'
import { packWork } from '../protocol/packed-request.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { DeadlyParts } from './deadly-parts.ts'
import type { ProcessEvent } from './engine-life.ts'
import { type HostedEngine, hostEngine } from './hosted-engine.ts'
import { checkEveryMs } from './watchdog.ts'

type Setup = EngineSetup<WorkKind, never>

const engines: HostedEngine[] = []
afterEach(() => {
  for (const engine of engines.splice(0)) engine.stop('now')
})

const info = { device: 'upstream', description: '', contextTokens: 1, parallel: 1 }

/** An engine that does nothing except `parts`. */
function engineOf(parts: Partial<Engine>): Engine {
  const nothing = () => undefined
  const stats = {
    steps: 1,
    threads: 0,
    running: 0,
    waiting: 0,
    decodedPromptTokens: 0,
    reusedPromptTokens: 0,
    generatedTokens: 0,
  }
  return { info, run: nothing, grant: nothing, cancel: nothing, useThreads: nothing, stats: () => stats, ...parts }
}

/** Starts an engine. Records its events and log lines in order. */
function start(load: LoadEngine<WorkKind, never>) {
  const heard: (ProcessEvent | string)[] = []
  let wake: () => void = () => undefined
  const note = (item: ProcessEvent | string) => {
    heard.push(item)
    wake()
  }
  const clock = new ManualClock()
  const engine = hostEngine({
    model: { manifest: testManifest({ engine: 'upstream', type: 'chat' }), filePaths: {} },
    placement: {},
    isCautious: false,
    deadlyParts: new DeadlyParts(),
    host: {
      spawn: () => {
        throw new Error('no process is needed')
      },
      inServer: { upstream: load },
      settings: testEngineSettings,
      runtime: async () => noRuntimePaths,
      log: ({ level, message }) => note(`${level}: ${message.split('\n')[0]}`),
      clock,
    },
    onEvent: note,
  })
  engines.push(engine)
  const until = async (isEnough: () => boolean) => {
    while (!isEnough()) await new Promise<void>((resolve) => (wake = resolve))
  }
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  const run = (work: Work = { kind: 'chat', request: chatRequest({}) }) =>
    Array.fromAsync(engine.run(work, context)).catch((error: Error) => {
      note(error.message)
    })
  return { engine, clock, heard, until, run }
}

const types = (heard: readonly (ProcessEvent | string)[]) =>
  heard.map((item) => (typeof item === 'string' ? item : item.type))

const stopped = 'it was stopped'

test('it needs no process, and what it is given and says comes later and in order', async () => {
  const taken: number[] = []
  const { engine, heard, until, run } = start(async ({ emit }: Setup) =>
    engineOf({
      run: (id) => {
        taken.push(id)
        emit([{ id, cancelled: nothingConsumed }])
      },
    }),
  )
  expect([engine.pid, engine.info, await engine.stats()]).toEqual([undefined, undefined, undefined])
  await until(() => heard.length === 1)
  expect(heard).toEqual([{ type: 'started', info, isCautious: false }])
  const requests = [run(), run()]
  expect(taken).toEqual([])
  await Promise.all(requests)
  expect(taken).toEqual([1, 2])
  expect(await engine.stats()).toMatchObject({ steps: 1 })
  engine.stop('graceful')
  expect(heard).toHaveLength(1)
  await until(() => heard.length === 2)
  expect(heard[1]).toEqual({ type: 'exited', reason: stopped, wasAsked: true, cause: 'ended' })
  await run()
  expect(taken).toEqual([1, 2])
  expect(String(heard[2])).toContain('stopped working')
  expect(await engine.stats()).toBeUndefined()
})

test('it is retired once its last request has ended', async () => {
  let end: () => void = () => undefined
  const { engine, heard, until, run } = start(async ({ emit }: Setup) =>
    engineOf({ run: (id) => (end = () => emit([{ id, cancelled: nothingConsumed }])) }),
  )
  await until(() => heard.length === 1)
  const request = run()
  engine.retire()
  await nextTurn()
  await nextTurn()
  expect(types(heard)).toEqual(['started'])
  end()
  await request
  await until(() => heard.length === 2)
  expect(types(heard)).toEqual(['started', 'exited'])
})

test('packed requests are whole again', async () => {
  const texts: unknown[] = []
  const { heard, until, run } = start(async ({ emit }: Setup) =>
    engineOf({
      run: (id, _, work) => {
        texts.push(work)
        emit([{ id, cancelled: nothingConsumed }])
      },
    }),
  )
  await until(() => heard.length === 1)
  const request = { inputs: ['one', 'two'], inputType: undefined, dimensions: undefined, overflow: 'refuse' } as const
  const packed = packWork({ kind: 'embed', request })
  await run({ kind: 'embed', request: { ...request, inputs: [], packed } })
  expect(texts).toEqual([{ kind: 'embed', request }])
})

test('a load that fails says why, and ends', async () => {
  const { heard, until } = start(() => Promise.reject(new LoadError('bad-model', 'no server has it')))
  await until(() => heard.length === 3)
  expect(heard).toEqual([
    'error: engine ended: no server has it',
    { type: 'start-failed', code: 'bad-model', reason: 'no server has it' },
    { type: 'exited', reason: 'no server has it', wasAsked: false, cause: 'ended' },
  ])
})

test('a load goes on as long as it takes, and says so', async () => {
  const loaded = Promise.withResolvers<Engine>()
  const { clock, heard, until } = start(() => loaded.promise)
  for (let times = 0; times < 200; times++) clock.pass(checkEveryMs)
  expect(heard).toEqual(Array.from({ length: 200 }, () => ({ type: 'progress' }) as const))
  loaded.resolve(engineOf({}))
  await until(() => heard.length === 201)
  clock.pass(checkEveryMs)
  expect(types(heard.slice(200))).toEqual(['started'])
})

test('one that is loaded while it is being stopped does not serve', async () => {
  const loaded = Promise.withResolvers<Engine>()
  const { engine, heard, until } = start(() => loaded.promise)
  await nextTurn()
  loaded.resolve(engineOf({}))
  engine.stop('graceful')
  await until(() => heard.length > 0)
  await nextTurn()
  expect(types(heard)).toEqual(['exited'])
  expect(engine.info).toBeUndefined()
})

test.each(['graceful', 'now'] as const)(
  'a %s stop aborts what it does, in a load too, and nothing is heard after the exit',
  async (how) => {
    const reasons: unknown[] = []
    const loading = start(
      ({ signal, emit }: Setup) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            emit([{ id: 1, cancelled: nothingConsumed }])
            reasons.push(signal.reason)
            reject(signal.reason)
          })
        }),
    )
    await nextTurn()
    loading.engine.stop(how)
    await loading.until(() => loading.heard.length > 0)
    await nextTurn()
    expect(loading.heard).toEqual([{ type: 'exited', reason: stopped, wasAsked: true, cause: 'ended' }])
    expect(reasons).toHaveLength(1)
  },
)

test('what its engine throws ends it alone', async () => {
  const fail = () => {
    throw new Error('a mistake')
  }
  const { heard, until, run } = start(async () => engineOf({ run: fail }))
  const other = start(async () => engineOf({}))
  await until(() => heard.length === 1)
  await run()
  expect(types(heard)).toEqual([
    'started',
    'info: Error: a mistake',
    'error: engine ended: an error in the engine ended it: Error: a mistake',
    'exited',
    expect.stringContaining('stopped working'),
  ])
  expect(await other.engine.stats()).toMatchObject({ steps: 1 })
  expect(types(other.heard)).toEqual(['started'])
})

/** In a separate process, since the test runner treats errors in timers as its own. */
const throwingLater = `
  import { InServerEngine } from '${import.meta.dir}/in-server-engine.ts'
  import { testManifest } from '${import.meta.dir}/../../testing/test-manifest.ts'
  import { testEngineSettings } from '${import.meta.dir}/../../testing/engine-settings.ts'
  const engine = (isThrowing) => async ({ signal }) => {
    if (isThrowing) setTimeout(() => { throw new Error('a mistake') }, 0)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const start = (name, isThrowing) => {
    const onLine = (line) => console.log(name, line.split('\\n')[0])
    const clock = { nowMs: () => 0, after: () => () => undefined }
    const host = { settings: testEngineSettings, runtime: async () => ({}), log: () => undefined, clock }
    const model = { manifest: testManifest({ engine: 'upstream' }), filePaths: {} }
    const onEvent = ({ type, reason }) => {
      console.log(name, type, reason.split('\\n')[0])
      if (type === 'exited') end()
    }
    return new InServerEngine({ model, host, onLine, onEvent }, engine(isThrowing))
  }
  let ended = 0
  const end = () => (++ended === 1 ? other.stop() : setTimeout(() => { throw new Error('of the server') }, 0))
  const other = start('other', false)
  start('one', true)
`

test('what its timers throw ends it alone too; what the server throws still ends the server', async () => {
  const process_ = Bun.spawn([process.execPath, '-e', throwingLater], { stderr: 'pipe' })
  const reason = 'an error in the engine ended it: Error: a mistake'
  expect(await process_.stdout.text()).toBe(
    `one Error: a mistake\none start-failed ${reason}\none exited ${reason}\nother exited it was stopped\n`,
  )
  expect(await process_.stderr.text()).toContain('of the server')
  expect(await process_.exited).not.toBe(0)
})
