import { afterEach, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nothingConsumed } from '../../core/usage.ts'
import type { WorkKind } from '../../core/work.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { noRuntimePaths } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import type { Engine, EngineSetup, LoadEngine } from '../protocol/engine.ts'
import { LoadError } from '../protocol/load-error.ts'
import { packWork } from '../protocol/packed-request.ts'
import { type FromEngine, protocolVersion } from '../protocol/protocol.ts'
import { withInServerEngines } from './in-server-child.ts'
import type { EngineChild } from './spawn-engine.ts'

type Setup = EngineSetup<WorkKind, never>

const children: EngineChild[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const info = { device: 'upstream', description: '', contextTokens: 1, parallel: 1 }

/** An engine that does nothing but what a test adds. */
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

/** What comes of the child, in order: messages, lines and the exit. */
function start(load: LoadEngine<WorkKind, never>) {
  const heard: (FromEngine | string)[] = []
  const spawn = withInServerEngines({ upstream: load }, () => {
    throw new Error('no process is needed')
  })
  let wake: () => void = () => undefined
  const note = (item: FromEngine | string) => {
    heard.push(item)
    wake()
  }
  const child = spawn('upstream', {
    onMessage: note,
    onLogLine: (line) => note(line.split('\n')[0] ?? ''),
    onExit: (reason) => note(`exit: ${reason}`),
  })
  children.push(child)
  const runtime = noRuntimePaths
  const model = { manifest: testManifest({ engine: 'upstream' }), filePaths: {} }
  child.send({
    type: 'load',
    version: protocolVersion,
    kind: 'upstream',
    model,
    settings: {},
    runtime,
    isCautious: false,
  })
  const until = async (isEnough: () => boolean) => {
    while (!isEnough()) await new Promise<void>((resolve) => (wake = resolve))
  }
  const run = (id: number) =>
    child.send({ type: 'run', id, accountId: 'acc_1', work: { kind: 'chat', request: chatRequest({}) } })
  return { child, heard, until, run }
}

const types = (heard: readonly (FromEngine | string)[]) =>
  heard.map((item) => (typeof item === 'string' ? item : item.type))

test('it looks like a child without a process, and what is said arrives later and in order', async () => {
  const taken: number[] = []
  const { child, heard, until, run } = start(async ({ emit }: Setup) =>
    engineOf({
      run: (id) => {
        taken.push(id)
        emit([{ id, cancelled: nothingConsumed }])
      },
    }),
  )
  expect(child.pid).toBeUndefined()
  expect(heard).toEqual([])
  await until(() => heard.length === 1)
  run(1)
  run(2)
  child.send({ type: 'stats', id: 3 })
  child.send({ type: 'stop' })
  run(4)
  expect(taken).toEqual([])
  await until(() => heard.length === 5)
  expect(taken).toEqual([1, 2])
  expect(types(heard)).toEqual(['ready', 'events', 'events', 'stats', 'exit: exit code 0'])
})

test('packed requests are whole again', async () => {
  const texts: unknown[] = []
  const { child, heard, until } = start(async () =>
    engineOf({ run: (_, __, work) => texts.push(work.kind === 'embed' ? work.request.inputs : work.kind) }),
  )
  await until(() => heard.length === 1)
  const request = { inputs: ['one', 'two'], inputType: undefined, dimensions: undefined, overflow: 'refuse' }
  const packed = packWork({ kind: 'embed', request } as never)
  child.send({ type: 'packed', id: 1, bytes: packed.subarray(0, 7) })
  child.send({ type: 'packed', id: 1, bytes: packed.subarray(7) })
  child.send({
    type: 'run',
    id: 1,
    accountId: 'acc_1',
    work: { kind: 'embed', request: { ...request, inputs: [] } } as never,
  })
  while (texts.length === 0) await nextTurn()
  expect(texts).toEqual([['one', 'two']])
})

test('a load that fails says why, and ends', async () => {
  const { heard, until } = start(() => Promise.reject(new LoadError('bad-model', 'no server has it')))
  await until(() => heard.length === 2)
  expect(heard).toEqual([{ type: 'load-failed', code: 'bad-model', message: 'no server has it' }, 'exit: exit code 1'])
})

test.each(['stop', 'kill'] as const)(
  '%s aborts what it does, in a load too, and nothing is heard after the exit',
  async (how) => {
    const end = ({ child }: { child: EngineChild }) =>
      how === 'stop' ? child.send({ type: 'stop' }) : child.kill('SIGKILL')
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
    end(loading)
    await loading.until(() => loading.heard.length > 0)
    await nextTurn()
    expect(loading.heard).toEqual([how === 'stop' ? 'exit: exit code 0' : 'exit: signal SIGKILL'])
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
  run(1)
  await until(() => heard.length === 3)
  expect(heard.slice(1)).toEqual(['Error: a mistake', 'exit: an error in the engine ended it'])
  other.child.send({ type: 'stats', id: 1 })
  await other.until(() => other.heard.length === 2)
  expect(types(other.heard)).toEqual(['ready', 'stats'])
})

/** In a process of its own: the test runner takes errors of timers for its own. */
const throwingLater = `
  import { withInServerEngines } from '${import.meta.dir}/in-server-child.ts'
  const engine = (isThrowing) => async ({ signal }) => {
    if (isThrowing) setTimeout(() => { throw new Error('a mistake') }, 0)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const start = (name, isThrowing) => {
    const onLogLine = (line) => console.log(name, line.split('\\n')[0])
    const handlers = { onMessage: () => undefined, onLogLine, onExit: (reason) => { console.log(name, reason); end() } }
    const child = withInServerEngines({ upstream: engine(isThrowing) }, undefined)('upstream', handlers)
    child.send({ type: 'load', version: ${protocolVersion}, kind: 'upstream' })
    return child
  }
  let ended = 0
  const end = () => (++ended === 1 ? other.send({ type: 'stop' }) : setTimeout(() => { throw new Error('of the server') }, 0))
  const other = start('other', false)
  start('one', true)
`

test('what its timers throw ends it alone too; what the server throws still ends the server', async () => {
  const process_ = Bun.spawn([process.execPath, '-e', throwingLater], { stderr: 'pipe' })
  expect(await process_.stdout.text()).toBe(
    'one Error: a mistake\none an error in the engine ended it\nother exit code 0\n',
  )
  expect(await process_.stderr.text()).toContain('of the server')
  expect(await process_.exited).not.toBe(0)
})
