import { createHash } from 'node:crypto'
import type { Command } from 'commander'
import { modelManifestOf } from '../../store/bundle/check-manifest.ts'
import { licensePath } from '../../store/bundle/layout.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { readOnMedium } from '../../store/bundle/medium.ts'
import { CommandError, type Io } from '../io.ts'
import type { OpenedBundle } from './trust-options.ts'

type License = BundleManifest['licenses'][number]

/**
 * Shows which licence each model has. One that binds who serves the model is shown whole, and must be accepted by whoever
 * installs it here, whatever its maker has accepted. Throws CommandError.
 */
export async function requireLicenses(command: Command, io: Io, { manifest, roots }: OpenedBundle): Promise<void> {
  const given: unknown = command.getOptionValue('acceptLicense')
  const accepted = new Set(Array.isArray(given) ? given.map((id) => String(id).toLowerCase()) : [])
  for (const model of manifest.models) {
    const { id, license = 'none named', acceptLicense = false } = modelManifestOf(model)
    const entry = manifest.licenses.find(({ name }) => name === model.license)
    io.error(`${id}: licence ${license}${entry === undefined ? '' : ` (${licensePath(entry.name)})`}\n`)
    if (!acceptLicense || accepted.has(license.toLowerCase())) continue
    if (entry !== undefined) io.error(`\n${await licenseText(roots, entry)}\n`)
    const answer = await io.ask(`Do you accept ${license} for this box? [y/N] `)
    if (answer === undefined) throw new CommandError(`${id} asks to accept its licence: --accept-license ${license}`)
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(`${license} was not accepted; nothing was installed`)
    accepted.add(license.toLowerCase())
  }
}

async function licenseText(roots: readonly string[], { name, bytes, sha256 }: License): Promise<string> {
  for (const root of roots) {
    const text = await readOnMedium(root, licensePath(name), bytes)
    if (text === undefined) continue
    if (createHash('sha256').update(text).digest('hex') === sha256) return text.toString()
    throw new CommandError(`${licensePath(name)} is damaged: copy it again`)
  }
  throw new CommandError(`${licensePath(name)} is missing: copy it again`)
}
