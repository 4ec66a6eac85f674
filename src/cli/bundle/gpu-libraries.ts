/** NVIDIA's libraries in bundles: choice on creation, installation on this box. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { namesIn } from '../../core/names-in.ts'
import { findNvidiaLibraries } from '../../nvidia/find-libraries.ts'
import { isNvidiaLibrary, licensesOf, type NvidiaLicense } from '../../nvidia/libraries.ts'
import { nvrtcBuiltins } from '../../nvidia/link-libraries.ts'
import { licenseFolder, ownLibraryFolder } from '../../nvidia/own-folder.ts'
import { readSoname } from '../../nvidia/shared-library.ts'
import type { LicenseText } from '../../store/bundle/collect-licenses.ts'
import { type InstallOptions, installLibraries } from '../../store/bundle/install-bundle.ts'
import type { BundleManifest } from '../../store/bundle/manifest.ts'
import { relinkLibraries } from '../gpu/nvidia-libraries.ts'
import { CommandError, type Io } from '../io.ts'

interface CarriedLibraries {
  readonly libraries: readonly { readonly name: string; readonly path: string }[]
  readonly licenses: readonly LicenseText[]
}

/** Returns the libraries for CUDA 13 that are here. Throws CommandError if those that llama.cpp needs are missing. */
export async function carriedGpuLibraries(config: Config, io: Io): Promise<CarriedLibraries> {
  const { data: dataDir, nvidiaLibraries: named } = config
  const { found, missing } = findNvidiaLibraries({ dataDir, named, environment: io.environment })
  const lacking = missing['llama-cuda-13']
  if (lacking.length > 0)
    throw new CommandError(`this box lacks ${lacking.join(', ')}; 'inferd gpu install' fetches NVIDIA's libraries`)
  const libraries = [...found, ...nvrtcBuiltins(found)]
    .filter(({ soname }) => !/^libcu\w+\.so\.12$/.test(soname) || soname === 'libcufft.so.12')
    .map(({ soname, path }) => ({ name: soname, path }))
  const licenses = licensesOf(libraries.map(({ name }) => name)).map((license) => licenseText(dataDir, license))
  return { libraries, licenses }
}

/**
 * Returns the licence text that came with the wheels. Libraries from elsewhere bring none: then it names the licence
 * and its address.
 */
function licenseText(dataDir: string, { id, url, name }: NvidiaLicense): LicenseText {
  const folder = licenseFolder(dataDir)
  const isOfIt = (file: string) => licensesOf([file]).some((license) => license.id === id)
  const kept = namesIn(folder)
    .filter(isOfIt)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  const texts = [...new Set(kept)].join('\n\n')
  const reference = `Licence: ${id}\nIt stands at ${url}\n`
  const text = texts === '' ? reference : texts
  return { name, id, text, isReference: false }
}

/** Throws CommandError if a bundle names a library that inferd would not open. */
export function requireGpuLibraries({ libraries = [], licenses }: BundleManifest): void {
  const strange = libraries.find(({ name }) => !isNvidiaLibrary(name))
  if (strange !== undefined)
    throw new CommandError(`the bundle carries ${strange.name}, which is none of NVIDIA's libraries that inferd uses`)
  const lacking = licensesOf(libraries.map(({ name }) => name)).find(
    ({ id }) => !licenses.some((each) => each.id === id),
  )
  if (lacking !== undefined)
    throw new CommandError(`the bundle carries libraries of NVIDIA without their licence ${lacking.id}; make it again`)
}

interface LibraryInstall {
  readonly manifest: BundleManifest
  readonly options: Omit<InstallOptions, 'isDescribed'>
}

/** Puts the libraries that a bundle carries into the data folder. Returns the parts that are missing. */
export async function installGpuLibraries(config: Config, io: Io, wanted: LibraryInstall): Promise<readonly string[]> {
  const { manifest, options } = wanted
  if (manifest.libraries === undefined) return []
  const isLibrary = (path: string, name: string) => readSoname(path) === name
  const missing = await installLibraries(ownLibraryFolder(config.data), manifest, { ...options, isLibrary })
  relinkLibraries(config, io)
  return missing
}
