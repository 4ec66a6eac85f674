import { makePrompt } from '../../bench/chat/prompts.ts'
import { embed, runEmbedLoad } from '../../bench/embed/load.ts'
import { type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const wordsPerText = 200
const loads = [
  { clients: 1, inputs: 1 },
  { clients: 8, inputs: 32 },
]

/** Notes the starter embedder's tokens per second on the CPU and on the device. */
export async function measureEmbeddings(kit: Kit, note: Note, scope: Scope): Promise<void> {
  let seed = 0
  for (const device of [...new Set(['cpu', kit.device])]) {
    const server = await startServer(kit, scope, ['--device', device])
    const target = { ...server, model: 'inferd/starter-embed' }
    const beginMs = performance.now()
    await embed(target, [makePrompt(wordsPerText, seed++)]) // a load may take longer than the time to get warm
    note(`${device}, first text, with the load`, `${((performance.now() - beginMs) / 1000).toFixed(2)} s`)
    for (const { clients, inputs } of loads) {
      const texts = () => Array.from({ length: inputs }, () => makePrompt(wordsPerText, seed++))
      const { tokensPerSecond } = await runEmbedLoad(target, { clients, inputs: texts }, { seconds: 3, warmSeconds: 1 })
      note(`${device}, ${clients} clients of ${inputs} texts`, `${tokensPerSecond.toFixed(0)} tokens/s`)
    }
    await server.stop()
  }
}
