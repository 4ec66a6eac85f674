import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeModelFile } from '../../src/engines/fake/placements.ts'
import type { Inferd } from './inferd.ts'

export interface FakeModelOptions {
  readonly type?: 'chat' | 'vision'
  /** Behaviour of its load */
  readonly file?: Partial<FakeModelFile>
  /** USD per 1M tokens. */
  readonly prices?: { readonly input: number; readonly output: number }
}

const usualPrices = { input: 1, output: 2 }

/**
 * Adds a model of the fake engine before the server starts. The last message of a request decides the answer: see the
 * engine's `script.ts`.
 */
export function addFakeModel({ dataDir }: Inferd, name: string, options: FakeModelOptions = {}): void {
  const { type = 'chat', file, prices = usualPrices } = options
  const folder = join(dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lines = [
    ...[`id = "test/${name}"`, `type = "${type}"`, 'engine = "fake"', 'context_length = 65536'],
    ...['[pricing]', `input = ${prices.input}`, `cached_input = ${prices.input / 4}`, `output = ${prices.output}`],
    'unit = "1M_tokens"',
  ]
  if (file !== undefined) {
    const path = join(dataDir, `${name}.fake.json`)
    writeFileSync(path, JSON.stringify({ needBytes: { host: 1_000_000 }, ...file }))
    lines.push('[[files]]', 'role = "model"', `path = "${path}"`)
  }
  writeFileSync(join(folder, `${name}.toml`), `${lines.join('\n')}\n`)
}
