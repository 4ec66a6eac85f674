import { join } from 'node:path'
import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../catalog/parse-manifest.ts'
import type { InstalledModel } from '../core/model.ts'
import type { EnginePool } from '../engines/pool.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { testPool } from './engine-pool.ts'
import { testEngineSettings } from './engine-settings.ts'

const root = join(import.meta.dir, '..', '..')

/** Returns a starter model with its shipped manifest. */
export function starterSpeechModel(type: 'stt' | 'tts'): InstalledModel {
  const file = `models/${type}/starter-${type}.toml`
  const manifest = parseManifest(file, shippedManifests.find((shipped) => shipped.file === file)?.content)
  const paths = manifest.files.map(({ role, path = '' }) => [role, join(root, 'models', type, path)])
  return { manifest, filePaths: Object.fromEntries(paths) }
}

/** Starts real engines for real models. Dispose of the pool by `stop`. */
export function startSpeechEngines(lines: string[] = [], threads = 2): EnginePool {
  return testPool({
    settings: { ...testEngineSettings, threads },
    runtime: () => runtimePaths(''),
    log: ({ message }) => lines.push(message),
  })
}
