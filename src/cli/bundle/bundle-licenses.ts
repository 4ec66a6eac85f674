import { createHash } from 'node:crypto'
import { licensesOf } from '../../nvidia/libraries.ts'
import { modelManifestOf } from '../../store/bundle/check-manifest.ts'
import { licensePath } from '../../store/bundle/layout.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { readOnMedium } from '../../store/bundle/medium.ts'
import type { AskedLicense } from '../accept-licenses.ts'
import { CommandError, type Io } from '../io.ts'
import type { OpenedBundle } from './trust-options.ts'

/**
 * Shows the licence of each model in a bundle, with the text of those that bind whoever serves the model. These must be
 * accepted on this box, even if the maker of the bundle has accepted them. Throws CommandError if a text is missing or
 * damaged.
 */
export async function askedLicenses(io: Io, { manifest, roots }: OpenedBundle): Promise<AskedLicense[]> {
  const asked: AskedLicense[] = []
  for (const model of manifest.models) {
    const { license, licenseUrl, acceptLicense } = modelManifestOf(model)
    const entry = manifest.licenses.find(({ name }) => name === model.license)
    io.error(
      `${model.id}: licence ${license ?? 'not named'}${entry === undefined ? '' : ` (${licensePath(entry.name)})`}\n`,
    )
    if (acceptLicense !== true || license === undefined) continue
    if (entry !== undefined) io.error(`\n${await licenseText(roots, entry)}\n`)
    const text = entry === undefined ? (licenseUrl ?? license) : `sha256:${entry.sha256}`
    asked.push({ modelId: model.id, license, text })
  }
  const { libraries = [] } = manifest
  for (const { id } of licensesOf(libraries.map(({ name }) => name))) {
    const entry = manifest.licenses.find((each) => each.id === id)
    if (entry === undefined) continue
    io.error(`${libraries.length} libraries of NVIDIA: licence ${id} (${licensePath(entry.name)})\n`)
    asked.push({ modelId: 'nvidia/cuda', license: id, text: `sha256:${entry.sha256}` })
  }
  return asked
}

async function licenseText(
  roots: readonly string[],
  { name, bytes, sha256 }: BundleManifest['licenses'][number],
): Promise<string> {
  for (const root of roots) {
    const text = await readOnMedium(root, licensePath(name), bytes)
    if (text === undefined) continue
    if (createHash('sha256').update(text).digest('hex') === sha256) return text.toString()
    throw new CommandError(`${licensePath(name)} is damaged: copy it again`)
  }
  throw new CommandError(`${licensePath(name)} is missing: copy it again`)
}
