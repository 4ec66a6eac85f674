import { mkdir } from 'node:fs/promises'
import { checkedToml } from '../../catalog/manifest-to-toml.ts'
import { importedManifestPath, operatorFolder } from '../../catalog/operator-manifests.ts'
import { ManifestError } from '../../catalog/parse-manifest.ts'
import type { ModelManifest } from '../../core/model.ts'
import { writeDurably } from '../durable.ts'
import { PlanError } from '../sources/plan-files.ts'

/**
 * Writes a manifest as one of the operator's own, which a running server sees at once. Throws PlanError if it is
 * invalid.
 */
export async function writeManifest(dataDir: string, manifest: ModelManifest): Promise<void> {
  const toml = tomlOf(manifest)
  await mkdir(operatorFolder(dataDir), { recursive: true, mode: 0o700 })
  await writeDurably(importedManifestPath(dataDir, manifest.id), toml)
}

function tomlOf(manifest: ModelManifest): string {
  try {
    return checkedToml(manifest).toml
  } catch (error) {
    throw error instanceof ManifestError ? new PlanError(`${manifest.id}: ${error.problem}`) : error
  }
}
