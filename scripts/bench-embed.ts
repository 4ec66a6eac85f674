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
  --inferd     an executable to measure instead of this checkout
  --manifest   a model that is not the starter embedder: its manifest, whose files have paths
  --peer       base address with /v1 of another server that serves the same model, measured in the same run`
const root = join(import.meta.dir, '..')
const levels = { clients: [1, 8, 64], inputs: [1, 32], tokens: [32, 256, 512] } as const
const ratioGoal = 0.9
const tailGoal = 3

interface Model {
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  /** Absent: the catalog has it. */
  readonly manifest: string | undefined
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { rounds: text, seconds: text, threads: text, inferd: text, manifest: text, peer: text },
  })
  const rounds = Number(values.rounds ?? 3)
  const seconds = Number(values.seconds ?? 3)
  const threads = values.threads ?? '1'
  const model = await readModel(values.manifest)
  const makeText = await textMaker(model.files.tokenizer ?? '')
  const command = values.inferd === undefined ? [process.execPath, join(root, 'src/main.ts')] : [resolve(values.inferd)]
  const server = await startInferd(command, ['--threads', threads, '--device', 'cpu'], async (data) => {
    if (model.manifest === undefined) return
    mkdirSync(join(data, 'models.d'), { recursive: true })
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
        for (const cell of cellsOf(tokens)) {
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
    const oneByOne = await sameThroughput(targets.inferd, makeText)
    const tails = await besideGreedy(targets.inferd, makeText, seconds * 2)
    const { date, cpu, cores, commit, bun, loadAtStart } = await readMachine(root, undefined)
    console.log(
      `# Embeddings benchmark\n\n- ${date}, ${cpu}, ${cores} cores, load ${loadAtStart.toFixed(2)}; inferd ${commit}, Bun ${bun}`,
    )
    console.log(`- model ${model.id}, ${threads} CPU threads; ${rounds} rounds of ${seconds} s, medians`)
    console.log(renderEmbedReport(measured, ceilings))
    console.log(`A thousand requests of one text at once against one of 1,024: ${oneByOne.toFixed(2)} of its tokens/s.`)
    console.log(
      `Eight clients of one text beside one of 1,024: p50 ${tails.p50Ms.toFixed(1)} ms, p99 ${tails.p99Ms.toFixed(1)} ms.`,
    )
    const goal = median(
      measured
        .filter(
          ({ name, clients, tokens, inputs }) => name === 'inferd' && clients === 64 && tokens === 256 && inputs === 1,
        )
        .map(({ ratio }) => ratio),
    )
    if (goal < ratioGoal) console.error(`misses the goal of ${ratioGoal} of the ceiling at 64 clients and 256 tokens`)
    const tail = tails.p99Ms / tails.p50Ms
    if (tail > tailGoal) console.error(`misses the goal of p99 below ${tailGoal} times p50 beside a greedy client`)
    return goal < ratioGoal || tail > tailGoal ? 1 : 0
  } finally {
    ceiling.stop()
    await server.stop()
  }
}

function cellsOf(tokens: number): Cell[] {
  return levels.inputs.flatMap((inputs) => levels.clients.map((clients) => ({ tokens, inputs, clients })))
}

/** Tokens a second of 1,000 requests of one text, against one request of 1,024. */
async function sameThroughput(target: EmbedTarget | undefined, makeText: (tokens: number) => string): Promise<number> {
  if (target === undefined) return Number.NaN
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
  target: EmbedTarget | undefined,
  makeText: (tokens: number) => string,
  seconds: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  if (target === undefined) return { p50Ms: Number.NaN, p99Ms: Number.NaN }
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
