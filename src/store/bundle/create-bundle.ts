/** Creation of a bundle: a folder of parts and one signed list of them. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '../../catalog/stat-file.ts'
import { realDisk } from '../disk.ts'
import { writeDurably } from '../durable.ts'
import { hashFile } from '../hash-file.ts'
import { publicKeyText } from '../minisign/public-key.ts'
import type { SecretKey } from '../minisign/secret-key.ts'
import { formatSignature, signContent } from '../minisign/signature.ts'
import type { ModelSource } from './bundle-sources.ts'
import { type CollectedLicenses, licenseEntry } from './collect-licenses.ts'
import {
  bundleFolder,
  defaultPartBytes,
  licensePath,
  manifestLimitBytes,
  manifestName,
  signatureName,
} from './layout.ts'
import { BundleError, type BundleManifest, formatBundleManifest, parseBundleManifest } from './manifest.ts'
import { readOnMedium } from './medium.ts'
import { type Content, planParts } from './plan-volumes.ts'
import { trustedComment } from './trust.ts'
import { writeContents } from './write-contents.ts'

export interface CreateOptions {
  readonly models: readonly ModelSource[]
  readonly licenses: CollectedLicenses
  /** Executable of the program. Undefined leaves it out. */
  readonly executable: string | undefined
  /** NVIDIA's libraries of this box. */
  readonly libraries?: undefined | readonly { readonly name: string; readonly path: string }[]
  /** Folder of the new bundle. */
  readonly to: string
  /** Contents that the box already has, which are left out. */
  readonly base: readonly Content[]
  /** Signing key. Undefined leaves the bundle unsigned. */
  readonly key: SecretKey | undefined
  readonly volumeBytes?: number | undefined
  readonly partBytes?: number
  /** Version of this program. */
  readonly version: string
  readonly newId: (prefix: string) => string
  /** Milliseconds UTC. */
  readonly nowMs: number
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: (doneBytes: number, totalBytes: number) => void
}

export interface CreatedBundle {
  readonly manifest: BundleManifest
  readonly manifestSha256: string
  /** One folder per disk. */
  readonly folders: readonly string[]
  readonly writtenBytes: number
  /** Bytes of parts that existed already. */
  readonly keptBytes: number
}

/**
 * Writes missing parts, then the manifest and its signature. An interrupted run can be repeated. Throws BundleError and
 * the system's errors.
 */
export async function createBundle(options: CreateOptions): Promise<CreatedBundle> {
  const { executable, base, to, volumeBytes, partBytes = defaultPartBytes } = options
  const sums = executable === undefined ? undefined : await hashFile(executable, { signal: options.signal })
  const program = sums && { sha256: sums.sha256, bytes: sums.bytes }
  const paths = new Map(options.models.flatMap((model) => [...model.paths]))
  if (executable !== undefined && program !== undefined) paths.set(program.sha256, executable)
  const libraries = []
  for (const { name, path } of options.libraries ?? []) {
    const { sha256, bytes } = await hashFile(path, { signal: options.signal })
    libraries.push({ name, sha256, bytes })
    paths.set(sha256, path)
  }
  const all = distinct([
    ...(program ? [program] : []),
    ...libraries,
    ...options.models.flatMap(({ model }) => model.files),
  ])
  const inBase = new Set(base.map(({ sha256 }) => sha256))
  const carried = all.filter(({ sha256 }) => !inBase.has(sha256))

  const parts = planParts(carried, { partBytes, volumeBytes })
  const volumes = 1 + Math.max(0, ...parts.map(({ volume }) => volume))
  const folders = Array.from({ length: volumes }, (_, index) =>
    join(to, volumeBytes === undefined ? '' : `volume-${index + 1}`, bundleFolder),
  )
  const written = await writeContents({ contents: carried, parts, folders, paths }, options)
  const { texts, byModel } = options.licenses
  const draft: Omit<BundleManifest, 'bundle' | 'serial'> = {
    format: 1,
    inferd: options.version,
    publicKey: options.key && publicKeyText(options.key.publicKey),
    platform: { os: process.platform, arch: process.arch, libc: 'glibc' },
    executable: program,
    models: options.models.map(({ model }) => ({ ...model, license: byModel.get(model.id) })),
    libraries: libraries.length === 0 ? undefined : libraries,
    blobs: [...written.blobs],
    base: all.filter(({ sha256 }) => inBase.has(sha256)),
    licenses: texts.map(licenseEntry),
  }
  const manifest = await numbered(draft, folders, options)
  const text = formatBundleManifest(manifest)
  parseBundleManifest(text)
  if (Buffer.byteLength(text) > manifestLimitBytes)
    throw new BundleError('the list of all its files is too long; make a bundle of fewer models')
  const signature =
    options.key && formatSignature(signContent(options.key, Buffer.from(text), trustedComment(manifest)))
  for (const folder of folders) await writeLists(folder, { text, signature, licenses: options.licenses })
  const manifestSha256 = createHash('sha256').update(text).digest('hex')
  return { manifest, manifestSha256, folders, writtenBytes: written.writtenBytes, keptBytes: written.keptBytes }
}

function distinct(contents: readonly Content[]): Content[] {
  const bySum = new Map(contents.map(({ sha256, bytes }) => [sha256, { sha256, bytes }]))
  return [...bySum.values()]
}

/**
 * Returns the manifest of an earlier run if its content is the same, so that all disks have the same one. Otherwise
 * gives the draft an id and a serial.
 */
async function numbered(
  draft: Omit<BundleManifest, 'bundle' | 'serial'>,
  folders: readonly string[],
  { newId, nowMs }: CreateOptions,
): Promise<BundleManifest> {
  for (const folder of folders) {
    const earlier = await earlierManifest(folder)
    if (earlier === undefined) continue
    const same = { ...draft, bundle: earlier.bundle, serial: earlier.serial }
    if (formatBundleManifest(same) === formatBundleManifest(earlier)) return same
  }
  return { ...draft, bundle: newId('bnd_'), serial: serialAt(nowMs) }
}

/** Returns YYYYMMDDhhmmss, UTC. */
function serialAt(timeMs: number): number {
  return Number(new Date(timeMs).toISOString().replace(/\D/g, '').slice(0, 14))
}

async function earlierManifest(folder: string): Promise<BundleManifest | undefined> {
  try {
    const bytes = await readOnMedium(folder, manifestName, manifestLimitBytes)
    return bytes && parseBundleManifest(bytes.toString())
  } catch (error) {
    if (error instanceof BundleError || error instanceof FileError) return undefined // it is replaced
    throw error
  }
}

interface Lists {
  readonly text: string
  readonly signature: string | undefined
  readonly licenses: CollectedLicenses
}

async function writeLists(folder: string, { text, signature, licenses }: Lists): Promise<void> {
  if (licenses.texts.length > 0) await mkdir(join(folder, 'licenses'), { recursive: true })
  for (const license of licenses.texts) await writeDurably(join(folder, licensePath(license.name)), license.text)
  await writeDurably(join(folder, manifestName), text)
  const signaturePath = join(folder, signatureName)
  if (signature === undefined) await realDisk.remove(signaturePath)
  else await writeDurably(signaturePath, signature)
}
