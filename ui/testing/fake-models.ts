import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeModelFile } from '../../src/engines/fake/placements.ts'
import type { Inferd } from './inferd.ts'

export interface FakeModelOptions {
  readonly type?: 'chat' | 'vision'
  /** How its load goes. */
  readonly file?: Partial<FakeModelFile>
}

/** Adds a model of the fake engine before the server starts: an answer is what the last message says, see the engine's `script.ts`. */
export function addFakeModel({ dataDir }: Inferd, name: string, { type = 'chat', file }: FakeModelOptions = {}): void {
  const folder = join(dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lines = [
    ...[`id = "test/${name}"`, `type = "${type}"`, 'engine = "fake"', 'context_length = 65536'],
    ...['[pricing]', 'input = 1', 'cached_input = 0.25', 'output = 2', 'unit = "1M_tokens"'],
  ]
  if (file !== undefined) {
    const path = join(dataDir, `${name}.fake.json`)
    writeFileSync(path, JSON.stringify({ needBytes: { host: 1_000_000 }, ...file }))
    lines.push('[[files]]', 'role = "model"', `path = "${path}"`)
  }
  writeFileSync(join(folder, `${name}.toml`), `${lines.join('\n')}\n`)
}
