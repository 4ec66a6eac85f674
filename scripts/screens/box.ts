/** Box after a month of use, for pictures: invented accounts, models of the fake engine, and one scripted device. */
import { Database } from 'bun:sqlite'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillDatabase, type LargeDatabase } from '../../src/testing/large-database.ts'
import type { Inferd } from '../../ui/testing/inferd.ts'
import type { ScriptedDevice } from '../../ui/testing/scripted-driver.ts'

const gigabyte = 1e9

export interface InventedModel {
  readonly id: string
  readonly type: 'chat' | 'vision'
  readonly modelBytes: number
  readonly contextBytes: number
  readonly prices: readonly [input: number, output: number]
}

/** Models that the fake engine plays. */
export const inventedModels: readonly InventedModel[] = [
  ...[
    { id: 'Qwen/Qwen3-32B', type: 'chat', modelBytes: 21.4, contextBytes: 8, prices: [0.1, 0.4] } as const,
    {
      id: 'Qwen/Qwen3-VL-8B-Instruct',
      type: 'vision',
      modelBytes: 9.1,
      contextBytes: 3,
      prices: [0.08, 0.35],
    } as const,
    { id: 'openai/gpt-oss-20b', type: 'chat', modelBytes: 12.8, contextBytes: 2.2, prices: [0.05, 0.2] } as const,
  ].map((model) => ({
    ...model,
    modelBytes: model.modelBytes * gigabyte,
    contextBytes: model.contextBytes * gigabyte,
  })),
]

const computeBytes = 0.6 * gigabyte

export const idleDevice: ScriptedDevice = { totalMib: 143_771, otherMib: 900, load: 74, celsius: 58, watts: 389 }

/** Returns a model's memory in a device, as the driver reports it. */
export function mibOf({ modelBytes, contextBytes }: InventedModel): number {
  return Math.round((modelBytes + contextBytes + computeBytes) / 2 ** 20)
}

const people = ['anna', 'ben', 'clara', 'david', 'emma', 'felix', 'greta', 'hugo', 'ida', 'jonas', 'klara', 'leo']

/** Fills the data folder of a server that has not started yet. The first account is the busiest. */
export function furnish({ dataDir }: Inferd): LargeDatabase {
  const folder = join(dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const model of inventedModels) addModel(dataDir, model)
  const path = join(dataDir, 'inferd.db')
  const modelCount = inventedModels.length
  const filled = fillDatabase(path, {
    accounts: people.length,
    requests: 4_000,
    vouchers: 12,
    models: modelCount,
    days: 30,
  })
  using database = new Database(path)
  for (const [index, name] of people.entries()) {
    const address = `${name}@example.org`
    const values = { index, address, name: name[0]?.toUpperCase() + name.slice(1) }
    database
      .query(
        "UPDATE accounts SET email = :address, email_key = :address, name = :name WHERE id = 'acc_large' || :index",
      )
      .run(values)
  }
  database.run("UPDATE accounts SET confirmed = created WHERE id = 'acc_large0'")
  database.run('DELETE FROM outbox')
  for (const [index, { id }] of inventedModels.entries()) {
    database.query("UPDATE usage SET model = :id WHERE model = 'large/model-' || :index").run({ id, index })
  }
  return filled
}

/** Returns a model's gate in the data folder. The model's load waits until the file is written. */
export function gateOf({ dataDir }: Pick<Inferd, 'dataDir'>, { id }: Pick<InventedModel, 'id'>): string {
  return join(dataDir, `${id.replace('/', '-')}.gate`)
}

function addModel(dataDir: string, model: InventedModel): void {
  const { id, type, modelBytes, contextBytes, prices } = model
  const gate = gateOf({ dataDir }, model)
  Bun.spawnSync(['mkfifo', gate])
  const name = id.replace('/', '-')
  const file = join(dataDir, `${name}.fake.json`)
  const needBytes = { gpu0: modelBytes + contextBytes + computeBytes }
  const memory = { gpu0: { modelBytes, contextBytes, computeBytes } }
  writeFileSync(file, JSON.stringify({ gate, needBytes, memory, cacheTokens: 21_000, cacheLimitTokens: 65_536 }))
  const lines = [
    ...[`id = "${id}"`, `type = "${type}"`, 'engine = "fake"', 'context_length = 65536'],
    ...['[pricing]', `input = ${prices[0]}`, `cached_input = ${prices[0] / 4}`, `output = ${prices[1]}`],
    ...['unit = "1M_tokens"', '[[files]]', 'role = "model"', `path = "${file}"`],
  ]
  // File of this size without content.
  const weights = join(dataDir, `${name}.weights`)
  writeFileSync(weights, '')
  truncateSync(weights, modelBytes)
  lines.push('[[files]]', 'role = "projector"', `path = "${weights}"`)
  writeFileSync(join(dataDir, 'models.d', `${name}.toml`), `${lines.join('\n')}\n`)
}
