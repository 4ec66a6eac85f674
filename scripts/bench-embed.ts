/** Compares embeddings over HTTP with the model's own speed. See docs/benchmarks.md. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { textParts } from '../src/testing/text-parts.ts'
import type { CeilingRequest, CeilingResult } from './bench/embed/ceiling.ts'
import { measureCrowds } from './bench/embed/crowds.ts'
import { type EmbedTarget, embed, runEmbedLoad } from './bench/embed/load.ts'
import { type Ceiling, type Cell, type Measured, renderEmbedReport } from './bench/embed/report.ts'
import { textMaker } from './bench/embed/texts.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { median, percentile } from './shared/statistics.ts'

const usage = `usage: bun run bench:embed [--rounds 3] [--seconds 3] [--threads 1] [--inferd FILE] [--manifest FILE] [--peer URL]
         [--clients 1,8,64] [--inputs 1,32] [--tokens 32,256,512] [--brief]
  --inferd     an executable to measure instead of this checkout
  --manifest   a model that is not the starter embedder: its manifest, whose files have paths
  --brief      without the loads of a thousand texts, which take minutes on large models
  --peer       base address with /v1 of another server that serves the same model, measured in the same run`
const root = join(import.meta.dir, '..')
const ratioGoal = 0.9
const tailGoal = 3

/** Numbers of which each combination is measured. */
interface Levels {
  readonly clients: readonly number[]
  readonly inputs: readonly number[]
  readonly tokens: readonly number[]
}

async function main(): Promise<number> {
  const { rounds, seconds, threads, inferd, manifest, peer, brief, ...lists } = readFlags({
    ...{ rounds: 3, seconds: 3, threads: 1, inferd: '', manifest: '', peer: '', brief: false },
    ...{ clients: '1,8,64', inputs: '1,32', tokens: '32,256,512' },
  })
  const levels = {
    clients: readCounts('clients', lists.clients),
    inputs: readCounts('inputs', lists.inputs),
    tokens: readCounts('tokens', lists.tokens),
  }
  const model = await readModel(manifest)
  const makeText = await textMaker(model.files.tokenizer ?? '')
  const command = inferd === '' ? [process.execPath, join(root, 'src/main.ts')] : [resolve(inferd)]
  const server = await startInferd(command, ['--threads', `${threads}`, '--device', 'cpu'], async (data) => {
    if (manifest === '') return
    mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
    copyFileSync(manifest, join(data, 'models.d', 'bench.toml'))
  })
  const ceiling = startCeiling(model.files.model ?? '', threads)
  const targets: Record<string, EmbedTarget> = { inferd: { ...server, model: model.id } }
  if (peer !== '') targets.peer = { baseUrl: peer, apiKey: 'none', model: model.id }
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
    const crowds = brief ? undefined : await measureCrowds({ ...server, model: model.id }, makeText, seconds)
    console.log(['# Embeddings benchmark', '', ...describeMachine(await readMachine())].join('\n'))
    console.log(`- model ${model.id}, ${threads} CPU threads; ${rounds} rounds of ${seconds} s, medians`)
    console.log(renderEmbedReport(measured, ceilings))
    if (crowds !== undefined) console.log(crowds.text)
    const isGoal = ({ name, clients, tokens, inputs }: Measured) =>
      name === 'inferd' && clients === 64 && tokens === 256 && inputs === 1
    const goal = median(measured.filter(isGoal).map(({ ratio }) => ratio))
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

/** Starts the process that runs the model without a server. */
function startCeiling(modelPath: string, threads: number) {
  const child = Bun.spawn([process.execPath, join(root, 'scripts/bench/embed/ceiling.ts'), modelPath, `${threads}`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
  })
  const lines = textParts(child.stdout)
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

/** Returns a manifest's id, and its files by role. Defaults to the starter embedder. */
async function readModel(manifest: string): Promise<{ id: string; files: Partial<Record<string, string>> }> {
  const path = manifest === '' ? join(root, 'models/embedding/starter-embed.toml') : manifest
  const { id, files } = Bun.TOML.parse(await Bun.file(path).text()) as {
    id: string
    files: { role: string; path: string }[]
  }
  return { id, files: Object.fromEntries(files.map((file) => [file.role, resolve(dirname(path), file.path)])) }
}

runScript(usage, main)
