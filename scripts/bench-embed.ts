/** Embeddings over HTTP against the most that the model gives; see docs/benchmarks.md. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { CeilingRequest, CeilingResult } from './bench/embed-ceiling.ts'
import { type EmbedTarget, embed, runEmbedLoad } from './bench/embed-load.ts'
import { type Ceiling, type Cell, type Measured, renderEmbedReport } from './bench/embed-report.ts'
import { textMaker } from './bench/embed-texts.ts'
import { startInferd } from './bench/inferd-server.ts'
import { readMachine } from './bench/machine.ts'
import { median, percentile } from './bench/statistics.ts'

const usage = `usage: bun run bench:embed [--rounds 3] [--seconds 3] [--threads 1] [--inferd FILE] [--manifest FILE] [--peer URL]
         [--clients 1,8,64] [--inputs 1,32] [--tokens 32,256,512] [--brief]
  --inferd     an executable to measure instead of this checkout
  --manifest   a model that is not the starter embedder: its manifest, whose files have paths
  --brief      without the loads of a thousand texts, which take minutes on large models
  --peer       base address with /v1 of another server that serves the same model, measured in the same run`
const root = join(import.meta.dir, '..')
const ratioGoal = 0.9
const tailGoal = 3

/** Numbers that are combined with each other. */
interface Levels {
  readonly clients: readonly number[]
  readonly inputs: readonly number[]
  readonly tokens: readonly number[]
}

interface Model {
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  /** Absent: the catalog has it. */
  readonly manifest: string | undefined
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      rounds: text,
      seconds: text,
      threads: text,
      inferd: text,
      manifest: text,
      peer: text,
      clients: text,
      inputs: text,
      tokens: text,
      brief: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds ?? 3)
  const seconds = Number(values.seconds ?? 3)
  const threads = values.threads ?? '1'
  const list = (given: string | undefined, usual: readonly number[]) => given?.split(',').map(Number) ?? usual
  const levels: Levels = {
    clients: list(values.clients, [1, 8, 64]),
    inputs: list(values.inputs, [1, 32]),
    tokens: list(values.tokens, [32, 256, 512]),
  }
  const model = await readModel(values.manifest)
  const makeText = await textMaker(model.files.tokenizer ?? '')
  const command = values.inferd === undefined ? [process.execPath, join(root, 'src/main.ts')] : [resolve(values.inferd)]
  const server = await startInferd(command, ['--threads', threads, '--device', 'cpu'], async (data) => {
    if (model.manifest === undefined) return
    mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
    copyFileSync(model.manifest, join(data, 'models.d', 'bench.toml'))
  })
  const ceiling = startCeiling(model.files.model ?? '', threads)
  const targets: Record<string, EmbedTarget> = { inferd: { ...server, model: model.id } }
  if (values.peer !== undefined) targets.peer = { baseUrl: values.peer, apiKey: 'none', model: model.id }
  const measured: Measured[] = []
  const ceilings: Ceiling[] = []
  try {
    for (const target of Object.values(targets)) await embed(target, [makeText(32)]) // loads the model
    for (let round = 0; round < rounds; round++) {
      for (const tokens of levels.tokens) {
        const top = await ceiling.measure({ tokens, seconds })
        ceilings.push({ tokens, ...top })
        for (const cell of cellsOf(levels, tokens)) {
          for (const [name, target] of Object.entries(targets)) {
            const inputs = () => Array.from({ length: cell.inputs }, () => makeText(tokens))
            const figures = await runEmbedLoad(target, { clients: cell.clients, inputs }, { seconds, warmSeconds: 0.5 })
            measured.push({
              ...cell,
              name,
              tokensPerSecond: figures.tokensPerSecond,
              p50Ms: median(figures.latenciesMs),
              p99Ms: percentile(figures.latenciesMs, 0.99),
              ratio: figures.tokensPerSecond / top.tokensPerSecond,
            })
          }
        }
      }
    }
    const crowds = values.brief ? undefined : await measureCrowds({ ...server, model: model.id }, makeText, seconds)
    const { date, cpu, cores, commit, bun, loadAtStart } = await readMachine(root, undefined)
    console.log(
      `# Embeddings benchmark\n\n- ${date}, ${cpu}, ${cores} cores, load ${loadAtStart.toFixed(2)}; inferd ${commit}, Bun ${bun}`,
    )
    console.log(`- model ${model.id}, ${threads} CPU threads; ${rounds} rounds of ${seconds} s, medians`)
    console.log(renderEmbedReport(measured, ceilings))
    if (crowds !== undefined) console.log(crowds.text)
    const goal = median(
      measured
        .filter(
          ({ name, clients, tokens, inputs }) => name === 'inferd' && clients === 64 && tokens === 256 && inputs === 1,
        )
        .map(({ ratio }) => ratio),
    )
    if (goal < ratioGoal) console.error(`misses the goal of ${ratioGoal} of the ceiling at 64 clients and 256 tokens`)
    const tail = crowds?.tail ?? 1
    if (tail > tailGoal) console.error(`misses the goal of p99 below ${tailGoal} times p50 beside a greedy client`)
    return goal < ratioGoal || tail > tailGoal ? 1 : 0
  } finally {
    ceiling.stop()
    await server.stop()
  }
}

function cellsOf({ clients, inputs }: Levels, tokens: number): Cell[] {
  return inputs.flatMap((inputs) => clients.map((clients) => ({ tokens, inputs, clients })))
}

/** A thousand texts at once, in one request or in many. */
async function measureCrowds(target: EmbedTarget, makeText: (tokens: number) => string, seconds: number) {
  const sameRate = await sameThroughput(target, makeText)
  const { p50Ms, p99Ms } = await besideGreedy(target, makeText, seconds * 2)
  const text = `A thousand requests of one text at once against one of 1,024: ${sameRate.toFixed(2)} of its tokens/s.
Eight clients of one text beside one of 1,024: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms.`
  return { text, tail: p99Ms / p50Ms }
}

/** Tokens a second of 1,000 requests of one text, against one request of 1,024. */
async function sameThroughput(target: EmbedTarget, makeText: (tokens: number) => string): Promise<number> {
  const texts = (count: number) => Array.from({ length: count }, () => makeText(64))
  const rate = async (work: () => Promise<number>) => {
    const beginMs = performance.now()
    return (await work()) / (performance.now() - beginMs)
  }
  const ratios: number[] = []
  for (let round = 0; round < 5; round++) {
    const many = texts(1000)
    const together = texts(1024)
    const one = await rate(() => embed(target, together))
    const all = await rate(async () => {
      const tokens = await Promise.all(many.map((text) => embed(target, [text])))
      return tokens.reduce((sum, count) => sum + count, 0)
    })
    ratios.push(all / one)
  }
  return median(ratios)
}

/** What clients of one text feel while another sends 1,024 texts at a time with the same key. */
async function besideGreedy(
  target: EmbedTarget,
  makeText: (tokens: number) => string,
  seconds: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const many = Array.from({ length: 1024 }, () => makeText(256))
  const times = { seconds, warmSeconds: 1 }
  const greedy = runEmbedLoad(target, { clients: 1, inputs: () => many }, times)
  const polite = await runEmbedLoad(target, { clients: 8, inputs: () => [makeText(256)] }, times)
  await greedy
  return { p50Ms: median(polite.latenciesMs), p99Ms: percentile(polite.latenciesMs, 0.99) }
}

function startCeiling(modelPath: string, threads: string) {
  const child = Bun.spawn([process.execPath, join(root, 'scripts/bench/embed-ceiling.ts'), modelPath, threads], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
  })
  const lines = linesOf(child.stdout)
  return {
    measure: async (request: CeilingRequest): Promise<CeilingResult> => {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      await child.stdin.flush()
      const { value } = await lines.next()
      if (value === undefined) throw new Error('the ceiling could not be measured')
      return JSON.parse(value)
    },
    stop: () => child.kill(),
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

async function readModel(manifest: string | undefined): Promise<Model> {
  const path = manifest ?? join(root, 'models/embedding/starter-embed.toml')
  const { id, files } = Bun.TOML.parse(await Bun.file(path).text()) as {
    id: string
    files: { role: string; path: string }[]
  }
  return {
    id,
    files: Object.fromEntries(files.map((file) => [file.role, resolve(dirname(path), file.path)])),
    manifest: manifest === undefined ? undefined : resolve(manifest),
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`bench:embed: ${error instanceof Error ? error.message : error}\n${usage}`)
  process.exitCode = 1
}
