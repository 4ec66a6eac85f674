/** Runs on the machine with the card, in the folder of an unpacked kit; see CONTRIBUTING.md. */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chatTemplates } from '../../src/testing/gguf/chat-templates.ts'
import { writeModel } from '../../src/testing/gguf/model-file.ts'
import { type BenchSize, benchPlan } from '../bench/chat/bench-plan.ts'
import { readCounts, readFlags, runScript, words } from '../shared/command-line.ts'
import { markdownTable } from '../shared/markdown-table.ts'
import type { Kit } from './kit.ts'
import { compareAnswers } from './measures/answers.ts'
import { bareMeasure, chatMeasure, llamaServerMeasure } from './measures/chat.ts'
import { measureEmbeddings } from './measures/embeddings.ts'
import { measureLargeEmbedder } from './measures/large-embedder.ts'
import { measureLoadModes, measureLoads } from './measures/loads.ts'
import { evict, killAndReload, measureMemory } from './measures/memory.ts'
import { measureMetering } from './measures/metering.ts'
import { probe } from './measures/probe.ts'
import { measureSpeakers } from './measures/speakers.ts'
import { type Note, type Part, runParts, type Scope } from './parts.ts'

const usage = `usage: ./run.sh [--device cuda] [--size large] [--streams 1,8,32,64] [--seconds 350]
                [--patience 1] [--parts NAME,...] [--inferd COMMAND] [--folder FOLDER]
  --device   what is compared with the CPU
  --size     of the generated chat model: small (0.5 B) or large (8 B, of 4 bits)
  --seconds  for everything; each part has a limit of its own
  --patience factor of the limits of the parts, for a slow machine
  --parts    those that are run, such as "chat,llama-server"; "chat model" makes the model of most
Writes result.json, result.md, servers.log and card.csv, the use of the card over time, into the folder.`

const flags = {
  device: 'cuda',
  size: 'large',
  streams: '1,8,32,64',
  seconds: 350,
  patience: 1,
  parts: '',
  inferd: '',
  folder: process.cwd(),
}

type Measure = (kit: Kit, note: Note, scope: Scope) => Promise<void>

/** Parts with their time limits in seconds. */
const measures: readonly (readonly [name: string, limitSeconds: number, measure: Measure])[] = [
  ['probe', 40, probe],
  ['answers', 60, compareAnswers],
  ['chat model', 60, makeModel],
  ['memory', 30, measureMemory],
  ['kill and reload', 20, killAndReload],
  ['two models', 60, evict],
  ['loads', 40, measureLoads],
  ['chat', 60, chatMeasure('each')],
  ['chat in one cache', 60, chatMeasure('one')],
  ['chat by default', 60, chatMeasure('default')],
  ['llama-server', 60, llamaServerMeasure()],
  ['bare loop', 60, bareMeasure('each')],
  ['bare loop in one cache', 60, bareMeasure('one')],
  ['embeddings', 40, measureEmbeddings],
  ['large embedder', 90, measureLargeEmbedder],
  ['speakers', 40, measureSpeakers],
  ['llama-server that samples on the device', 60, llamaServerMeasure('--backend-sampling')],
  ['metering', 30, measureMetering],
  ['load modes', 40, measureLoadModes],
]

async function main(): Promise<number> {
  const given = readFlags(flags)
  const folder = resolve(given.folder)
  const size = readSize(given.size)
  const kit: Kit = {
    folder,
    inferd: given.inferd === '' ? packedInferd(folder) : words(given.inferd),
    device: given.device,
    size,
    model: join(folder, `bench-${size}.gguf`),
    logFile: join(folder, 'servers.log'),
    streams: readCounts('streams', given.streams).sort((first, second) => first - second),
    llamaServer: fileOf(folder, 'llama-server'),
    batchedBench: fileOf(folder, 'llama-batched-bench'),
  }
  const parts = chosen(given.parts).map(
    ([name, limitSeconds, measure]): Part => ({
      name,
      limitSeconds: limitSeconds * given.patience,
      run: (note, scope) => measure(kit, note, scope),
    }),
  )
  mkdirSync(folder, { recursive: true })
  const stopWatching = watchCard(join(folder, 'card.csv'))
  const beginMs = performance.now()
  const rows = await runParts(parts, {
    totalSeconds: given.seconds,
    onRow: ({ part, what, value, isFailure }) => console.error(`${isFailure ? '! ' : '  '}${part}: ${what}: ${value}`),
  })
  stopWatching()
  const table = markdownTable(
    ['part', 'what', 'value'],
    rows.map(({ part, what, value, isFailure }) => [part, what, isFailure ? `**${value}**` : value]),
  ).join('\n')
  const report = {
    date: new Date().toISOString(),
    seconds: (performance.now() - beginMs) / 1000,
    device: kit.device,
    size,
    rows,
  }
  await Bun.write(join(folder, 'result.json'), JSON.stringify(report, undefined, 2))
  await Bun.write(join(folder, 'result.md'), table)
  console.log(table)
  return rows.some(({ isFailure }) => isFailure) ? 1 : 0
}

/** Writes the card's load into a file four times a second, until the returned function is called. */
function watchCard(file: string): () => void {
  if (Bun.which('nvidia-smi') === null) return () => undefined
  const query = '--query-gpu=timestamp,utilization.gpu,clocks.sm,power.draw,memory.used'
  const child = Bun.spawn(['nvidia-smi', query, '--format=csv,noheader', '-lms', '250'], {
    stdin: 'ignore',
    stdout: Bun.file(file),
    stderr: 'ignore',
  })
  return () => child.kill()
}

async function makeModel({ folder, model, size }: Kit, note: Note): Promise<void> {
  if (!existsSync(model)) {
    await writeModel(await benchPlan(join(folder, 'assets', 'vocabulary.gguf'), 1, chatTemplates.chatml, size), model)
  }
  note('size', `${(Bun.file(model).size / 1e9).toFixed(2)} GB, random weights`)
}

/**
 * Returns the words that start inferd. A variable makes the executable run this script as Bun, and must not reach
 * inferd.
 */
function packedInferd(folder: string): string[] {
  return ['env', '-u', 'BUN_BE_BUN', join(folder, 'inferd-cuda')]
}

/** Returns the parts of these names in the kit's order, or all parts without names. */
function chosen(names: string): typeof measures {
  const wanted = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const unknown = wanted.filter((name) => !measures.some(([known]) => known === name))
  if (unknown.length > 0)
    throw new Error(`--parts ${unknown.join(', ')}: there are ${measures.map(([name]) => name).join(', ')}`)
  return wanted.length === 0 ? measures : measures.filter(([name]) => wanted.includes(name))
}

function readSize(name: string): BenchSize {
  if (name === 'small' || name === 'large') return name
  throw new Error(`--size ${name}: small or large`)
}

function fileOf(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? file : undefined
}

runScript(usage, main)
