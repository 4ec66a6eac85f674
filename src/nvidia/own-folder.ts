/** Places of NVIDIA's libraries in the data folder. */
import { join } from 'node:path'

export function nvidiaFolder(dataDir: string): string {
  return join(dataDir, 'nvidia')
}

/** Libraries that inferd has fetched or that were imported. */
export function ownLibraryFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'lib')
}

/** Links to the libraries that were found, wherever they lie: engines get it as the loader's path. */
export function loaderFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'loader')
}

export function licenseFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'licenses')
}

/** Kernels that NVIDIA's driver has compiled for the cards of this machine. */
export function cudaCacheFolder(dataDir: string): string {
  return join(dataDir, 'cuda-cache')
}

/** Wheels while they are fetched. */
export function downloadFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'downloads')
}
