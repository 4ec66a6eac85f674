/** Measures loads by their phases, beside llama-server; see docs/benchmarks.md. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadTimes } from '../src/core/load-phases.ts'
import { loadPhases } from '../src/core/load-phases.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { LlamaServerPeer } from './bench/chat/llama-server-peer.ts'
import { streamChat } from './bench/chat/stream-chat.ts'
import { type MeasuredLoad, measureLoad, unload } from './bench/loads/measure-loads.ts'
import { readFlags, runScript, words } from './shared/command-line.ts'
import { type InferdServer, startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'
import { embed, hear, rerank, speak } from './smoke/client.ts'

const usage = `usage: bun run bench:loads [--inferd COMMAND] [--before COMMAND] [--llama-server FILE] [--model FILE]
  [--rounds 5] [--swaps 6]
  --before  another inferd that is measured in turn with this one
  --model   a GGUF beside the starter and the generated one`

const root = join(import.meta.dir, '..')
const starter = join(root, 'models/starter/starter-chat-q8_0.gguf')
const projector = join(root, 'models/starter/starter-chat-mmproj-f16.gguf')
const sized = { streams: 8, contextTokens: 1024 }
const common = ['--device', 'cpu', '--threads', '1']
const sizes = ['--parallel', `${sized.streams}`, '--context-tokens', `${sized.streams * sized.contextTokens}`]
/** Memory for one of two models of 0.5 GB, with its caches and buffers. */
const oneModel = '2500MB'

interface Chat {
  readonly name: string
  readonly model: string
  readonly projector?: string
}

/** Figures of one row, as a list with an entry per round. */
type Figures = Map<string, number[]>

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ inferd: `${process.execPath} ${join(root, 'src/main.ts')}`, before: '', llamaServer: '', model: '' },
    ...{ rounds: 5, swaps: 6 },
  })
  const inferds: [string, readonly string[]][] = [['inferd', words(flags.inferd)]]
  if (flags.before !== '') inferds.push(['before', words(flags.before)])
  const middle = await generatedModel(root)
  const chats: Chat[] = [
    { name: '4 MB', model: starter },
    { name: '4 MB that sees', model: starter, projector },
    { name: '0.5 GB', model: middle },
    ...(flags.model === ''
      ? []
      : [{ name: `${(Bun.file(flags.model).size / 1e9).toFixed(1)} GB`, model: flags.model }]),
  ]
  const llamaServer = existsSync(flags.llamaServer) ? flags.llamaServer : undefined
  const rows = new Map<string, Figures>()
  const phases = new Map<string, LoadTimes[]>()
  const note = (row: string, figure: string, value: number) => {
    const figures = rows.get(row) ?? new Map<string, number[]>()
    rows.set(row, figures.set(figure, [...(figures.get(figure) ?? []), value]))
  }
  for (let round = 0; round < flags.rounds; round++) {
    for (const chat of chats) {
      for (const [name, command] of inferds) {
        await measureChat(command, chat, (figure, load) => {
          note(`${chat.name}, ${name}`, figure, typeof load === 'number' ? load : load.answerMs)
          if (typeof load === 'number') return
          const key = `${chat.name}, ${name}, ${figure}`
          phases.set(key, [...(phases.get(key) ?? []), load.phases])
        })
      }
      if (llamaServer !== undefined) {
        await measureLlamaServer(llamaServer, chat, (figure, ms) => note(`${chat.name}, llama-server`, figure, ms))
      }
    }
    for (const [name, command] of inferds) {
      await measureOthers(command, (kind, figure, load) => {
        note(`${kind}, ${name}`, figure, load.answerMs)
        const key = `${kind}, ${name}, ${figure}`
        phases.set(key, [...(phases.get(key) ?? []), load.phases])
      })
    }
    console.error(`round ${round + 1} of ${flags.rounds}`)
  }
  for (const [name, command] of inferds) {
    for (const ms of await measureSwaps(command, middle, flags.swaps)) note(`swap, ${name}`, 'second load', ms)
  }
  const figures = ['server', 'first load', 'second load', 'next answer']
  const text = (values: readonly number[] | undefined) => (values === undefined ? '' : median(values).toFixed(0))
  const table = markdownTable(
    ['ms, median', ...figures],
    [...rows].map(([row, found]) => [row, ...figures.map((figure) => text(found.get(figure)))]),
  )
  const told = [...phases].filter(([, loads]) => loads.some((each) => Object.keys(each).length > 0))
  const phaseTable = markdownTable(
    ['ms, median', ...loadPhases],
    told.map(([row, loads]) => [row, ...loadPhases.map((phase) => text(valuesOf(loads, phase)))]),
  )
  console.log([...describeMachine(await readMachine(llamaServer)), '', ...table, '', ...phaseTable].join('\n'))
  return 0
}

function valuesOf(loads: readonly LoadTimes[], phase: (typeof loadPhases)[number]): readonly number[] | undefined {
  const values = loads.flatMap((each) => each[phase] ?? [])
  return values.length === 0 ? undefined : values
}

const chatId = 'bench/loaded'

/** Measures from the request to its only token: `first load` and `second load` with a load, `next answer` without. */
async function measureChat(
  command: readonly string[],
  { model, projector: mmproj }: Chat,
  note: (figure: string, load: MeasuredLoad | number) => void,
): Promise<void> {
  const files = mmproj === undefined ? [model] : [model, '--mmproj', mmproj]
  const server = await startInferd(command, [...common, ...sizes], (_, run) =>
    run(['import', ...files, '--id', chatId]),
  )
  try {
    note('server', server.startMs)
    const ask = () => askOne({ ...server, model: chatId })
    note('first load', await measureLoad(command, server, chatId, ask))
    note('next answer', await timed(ask))
    await unload(command, server, chatId)
    note('second load', await measureLoad(command, server, chatId, ask))
  } finally {
    await server.stop()
  }
}

async function measureLlamaServer(
  binary: string,
  { model, projector: mmproj }: Chat,
  note: (figure: string, ms: number) => void,
): Promise<void> {
  const options = { model, ...(mmproj !== undefined && { projector: mmproj }), threads: 1, sized, more: [] }
  const peer = new LlamaServerPeer({ binary, isUnified: true }, options)
  try {
    const startMs = await peer.start()
    const ask = () => askOne(peer.target())
    note('first load', startMs + (await timed(ask)))
    note('next answer', await timed(ask))
  } finally {
    await peer.stop()
  }
}

/** Measures models of other kinds in one server. */
async function measureOthers(
  command: readonly string[],
  note: (kind: string, figure: string, load: MeasuredLoad) => void,
): Promise<void> {
  const server = await startInferd(command, common, () => Promise.resolve())
  const client = { url: server.baseUrl.replace(/\/v1$/, ''), key: server.apiKey }
  const spoken = await speak(client, 'The meeting begins at nine.')
  await unload(command, server, 'inferd/starter-tts')
  const kinds: readonly [string, string, () => Promise<unknown>][] = [
    ['embedder', 'inferd/starter-embed', () => embed(client)],
    ['reranker', 'inferd/starter-rerank', () => rerank(client)],
    ['speaker', 'inferd/starter-tts', () => speak(client, 'Yes.')],
    ['transcriber', 'inferd/starter-stt', () => hear(client, spoken)],
  ]
  try {
    for (const [kind, model, ask] of kinds) {
      for (const figure of ['first load', 'second load']) {
        note(kind, figure, await measureLoad(command, server, model, ask))
        await unload(command, server, model)
      }
    }
  } finally {
    await server.stop()
  }
}

/** Asks two models in turn that do not fit together, so that each answer unloads one and loads the other. */
async function measureSwaps(command: readonly string[], model: string, swaps: number): Promise<number[]> {
  const ids = ['bench/one', 'bench/two']
  const options = [...common, ...sizes, '--memory-limit', oneModel]
  const server = await startInferd(command, options, async (_, run) => {
    for (const id of ids) await run(['import', model, '--id', id])
  })
  const times: number[] = []
  try {
    for (let swap = 0; swap < swaps + 2; swap++) {
      const ms = await timed(() => askOne({ ...server, model: ids[swap % 2] ?? '' }))
      // The first load of each model does not count.
      if (swap >= 2) times.push(ms)
    }
  } finally {
    await server.stop()
  }
  return times
}

function askOne(target: Pick<InferdServer, 'baseUrl' | 'apiKey'> & { readonly model: string }): Promise<unknown> {
  return streamChat(target, { prompt: 'Hello!', tokens: 1, seed: 1, temperature: 0 })
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await task()
  return performance.now() - startMs
}

runScript(usage, main)
