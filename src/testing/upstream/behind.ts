/**
 * Runs tests of clients a second time with upstream servers behind the tested one. `scripts/clients-behind.ts` sets a
 * variable that says where models are served from; helpers that start servers for tests follow it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import type { UpstreamFlavor } from '../../core/upstream.ts'

/**
 * Server of the models. `twin`: a second server like the test's own. Otherwise the named server serves the starter
 * models.
 */
export type Behind =
  | 'twin'
  | {
      readonly flavor: UpstreamFlavor
      readonly url: string
      readonly key?: string
      /** Names of the models on that server, by their shipped manifests, such as `vision/starter-chat`. */
      readonly models: Readonly<Record<string, string>>
    }

export const behindVariable = 'INFERD_TESTS_BEHIND'

/** Returns the upstream server of the tested server. Undefined if the tested server has none. */
export function testsBehind(): Behind | undefined {
  const text = process.env[behindVariable]
  return text === undefined ? undefined : (JSON.parse(text) as Behind)
}

/** Writes manifests by which a server with this data folder has the other one serve its starter models. */
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
