import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tokenizer from '../../../models/starter/starter-embed-tokenizer.json'
import { makePrompt } from '../../bench/chat/prompts.ts'
import { embed, runEmbedLoad } from '../../bench/embed/load.ts'
import type { InferdServer } from '../../shared/inferd-server.ts'
import program from '../embedder.py' with { type: 'text' }
import { engineRows, type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const id = 'bench/xlm-r-large'
const layers = { small: 2, large: 24 } as const
const wordsPerText = 200
const seconds = 4
const loads = [
  { clients: 1, inputs: 1 },
  { clients: 32, inputs: 1 },
  { clients: 8, inputs: 32 },
]
/** Least share of torch's tokens per second. */
const goal = 0.5

/**
 * Notes the tokens per second of an embedder in XLM-R's large shape over HTTP, and of torch alone on the same device,
 * in batches of as many texts as there are clients. Makes the model with the machine's own Python.
 */
export async function measureLargeEmbedder(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const folder = join(kit.folder, 'embedder')
  mkdirSync(folder, { recursive: true })
  const script = join(folder, 'embedder.py')
  writeFileSync(script, program)
  const python = (...options: readonly (string | number)[]) => runPython(scope, [script, ...options.map(String)])
  const model = join(folder, 'model_fp16.onnx')
  if (!existsSync(model)) {
    const beginMs = performance.now()
    await python('export', layers[kit.size], model)
    note(
      'export',
      `${((performance.now() - beginMs) / 1000).toFixed(1)} s, ${(Bun.file(model).size / 1e9).toFixed(2)} GB`,
    )
  }
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  writeFileSync(join(folder, 'model.toml'), manifestOf(folder))
  const server = await startServer(kit, scope, ['--device', kit.device], async (data) => {
    mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
    copyFileSync(join(folder, 'model.toml'), join(data, 'models.d', 'bench.toml'))
  })
  const target = { ...server, model: id }
  const beginMs = performance.now()
  const tokens = await embed(target, [makePrompt(wordsPerText, 0)])
  note('first text, with the load', `${((performance.now() - beginMs) / 1000).toFixed(2)} s`)
  for (const { device, description = 'unknown' } of await engineRows(kit, server)) {
    note('computes as', description, device !== kit.device)
  }
  const rates = new Map<number, number>()
  let seed = 1
  for (const { clients, inputs } of loads) {
    const texts = () => Array.from({ length: inputs }, () => makePrompt(wordsPerText, seed++))
    const { tokensPerSecond } = await runEmbedLoad(target, { clients, inputs: texts }, { seconds, warmSeconds: 1 })
    if (inputs === 1) rates.set(clients, tokensPerSecond)
    note(`${clients} clients of ${inputs} texts`, `${tokensPerSecond.toFixed(0)} tokens/s`)
  }
  note('memory', await memoryOf(kit, server))
  await server.stop()
  for (const [clients, rate] of rates) {
    const torch = Number(await python('measure', layers[kit.size], kit.device, clients, tokens, seconds))
    const share = rate / torch
    const text = `${torch.toFixed(0)} tokens/s, inferd ${share.toFixed(2)} of it`
    note(`torch, batches of ${clients}`, text, clients > 1 && share < goal)
  }
}

async function runPython(scope: Scope, command: readonly string[]): Promise<string> {
  const child = Bun.spawn(['python3', ...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  scope.add(() => child.kill())
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`python3: ${errors.trim().split('\n').at(-1)}`)
  return output.trim().split('\n').at(-1) ?? ''
}

async function memoryOf(kit: Kit, server: InferdServer): Promise<string> {
  const [engine] = await engineRows(kit, server)
  const shown = (bytes: number | undefined) => (bytes === undefined ? 'unknown' : `${(bytes / 1e9).toFixed(2)} GB`)
  return `${shown(engine?.usedBytes)} used, ${shown(engine?.estimatedBytes)} estimated`
}

function manifestOf(folder: string): string {
  return `id = "${id}"
type = "embedding"
engine = "onnx"
context_length = 8192
dimensions = 1024

[[files]]
role = "model"
path = ${JSON.stringify(join(folder, 'model_fp16.onnx'))}

[[files]]
role = "tokenizer"
path = ${JSON.stringify(join(folder, 'tokenizer.json'))}

[pricing]
price = 0.01
unit = "1M_tokens"

[encoder]
pooling = "mean"
pad_token_id = 1
`
}
