import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ask, paced, plain } from '../../bench/metering-load.ts'
import { median } from '../../shared/statistics.ts'
import { type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const manifest = `id = "bench/fake"
type = "chat"
engine = "fake"
[pricing]
input = 0.08
output = 0.35
unit = "1M_tokens"
`
const payer = 'bench@example.com'
const rounds = 4
const loads = {
  'one client': { asks: plain, requests: 300, clients: 1 },
  '32 at once': { asks: paced, requests: 480, clients: 32 },
} as const

/**
 * Notes what holds and durable charges add to a request. Sends the same one by a metered and an unmetered account in
 * turn.
 */
export async function measureMetering(kit: Kit, note: Note, scope: Scope): Promise<void> {
  let meteredKey = ''
  const server = await startServer(kit, scope, ['--parallel', '64'], async (data, run) => {
    mkdirSync(join(data, 'models.d'), { recursive: true })
    await Bun.write(join(data, 'models.d', 'fake.toml'), manifest)
    await run(['users', 'create', payer])
    await run(['credit', payer, '1000'])
    meteredKey = String(Object(JSON.parse(await run(['keys', 'create', '--account', payer, '--name', 'bench']))).key)
  })
  const postBy = (key: string) => async (body: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', headers, body })
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
  }
  const posts = { unmetered: postBy(server.apiKey), metered: postBy(meteredKey) }
  for (const [name, { asks, ...load }] of Object.entries(loads)) {
    const latencies = { unmetered: [] as number[], metered: [] as number[] }
    // The first round warms up.
    for (let round = 0; round < rounds; round++) {
      for (const kind of ['unmetered', 'metered'] as const) {
        const { latenciesMs } = await ask(posts[kind], asks, load)
        if (round > 0) latencies[kind].push(...latenciesMs)
      }
    }
    const [without, withMoney] = [median(latencies.unmetered), median(latencies.metered)]
    const added = `adds ${(withMoney - without).toFixed(3)} ms`
    note(name, `${added} (p50 ${without.toFixed(3)} unmetered, ${withMoney.toFixed(3)} metered)`)
  }
}
