/** Licence texts in a bundle: passing a model on requires passing its licence on. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ModelSource } from './bundle-sources.ts'
import { licenseName } from './layout.ts'
import type { BundleManifest } from './manifest.ts'

export interface LicenseText {
  /** Name of the text's file in the bundle. */
  readonly name: string
  readonly id: string
  readonly text: string
  /** True if the text is unknown and the file only says where to find it. */
  readonly isReference: boolean
}

export interface CollectedLicenses {
  readonly texts: readonly LicenseText[]
  /** Names of texts by model. */
  readonly byModel: ReadonlyMap<string, string>
}

const ownNames = /^(licen[cs]e|copying)([.-].*)?$/i
const textLimitBytes = 1024 * 1024

/**
 * Collects the licences of the sources. `known` are texts by licence id; the text in a model's own folder takes
 * precedence. `others` are included unchanged.
 */
export async function collectLicenses(
  sources: readonly ModelSource[],
  known: ReadonlyMap<string, string>,
  others: readonly LicenseText[] = [],
): Promise<CollectedLicenses> {
  const texts = [...others]
  const byModel = new Map<string, string>()
  for (const source of sources) {
    const { license: id, licenseUrl } = source.manifest
    if (id === undefined) continue
    const text = (await ownText(source)) ?? known.get(id.toLowerCase())
    const found = { id, text: text ?? reference(id, licenseUrl), isReference: text === undefined }
    const same = texts.find((other) => other.id === id && other.text === found.text)
    const name = same?.name ?? licenseName(id, (taken) => texts.some((other) => other.name === taken))
    if (same === undefined) texts.push({ name, ...found })
    byModel.set(source.model.id, name)
  }
  return { texts, byModel }
}

export function licenseEntry({ name, id, text }: LicenseText): BundleManifest['licenses'][number] {
  return { name, id, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
}

async function ownText({ model, paths }: ModelSource): Promise<string | undefined> {
  const file = model.files.find(({ name, bytes }) => ownNames.test(basename(name)) && bytes <= textLimitBytes)
  const path = file && paths.get(file.sha256)
  return path === undefined ? undefined : await readFile(path, 'utf8')
}

function reference(id: string, url: string | undefined): string {
  const place = url === undefined ? `https://spdx.org/licenses/${id}.html` : url
  const where =
    id.startsWith('LicenseRef-') && url === undefined ? 'ask the publisher of the model' : `it stands at ${place}`
  return `Licence: ${id}\nIts text is not part of this bundle: ${where}\n`
}
