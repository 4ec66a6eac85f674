/**
 * Tests of clients can be run a second time with upstream servers behind the one that they ask: `scripts/clients-behind.ts` says by a
 * variable where models are served from, and the helpers that start servers for tests obey.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import type { UpstreamFlavor } from '../../core/upstream.ts'

/** `twin`: by a second server like the one that the test starts. Otherwise the starter models by the server named. */
export type Behind =
  | 'twin'
  | {
      readonly flavor: UpstreamFlavor
      readonly url: string
      readonly key?: string
      /** Shipped manifests of the models that it serves, such as `vision/starter-chat`, and their names there. */
      readonly models: Readonly<Record<string, string>>
    }

export const behindVariable = 'INFERD_TESTS_BEHIND'

/** Undefined: nothing is behind. */
export function testsBehind(): Behind | undefined {
  const text = process.env[behindVariable]
  return text === undefined ? undefined : (JSON.parse(text) as Behind)
}

/** Writes manifests by which a server with this data folder has its starter models served by the other. */
export function writeManifestsBehind(dataDir: string, behind: Exclude<Behind, 'twin'>): void {
  const folder = join(dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  if (behind.key !== undefined) writeFileSync(join(folder, 'upstream.key'), behind.key, { mode: 0o600 })
  for (const [name, model] of Object.entries(behind.models)) {
    const shipped = readFileSync(join(import.meta.dir, '../../../models', `${name}.toml`), 'utf8')
    const { files, encoder, transcriber, diarizer, ...manifest } = Bun.TOML.parse(shipped) as Record<string, unknown>
    const upstream = {
      flavor: behind.flavor,
      model,
      endpoints: [behind.url],
      ...(behind.key !== undefined && { key: { file: 'upstream.key' } }),
    }
    const text = stringify({ ...manifest, engine: 'upstream', upstream })
    writeFileSync(join(folder, `${name.replace('/', '-')}.toml`), text)
  }
}
