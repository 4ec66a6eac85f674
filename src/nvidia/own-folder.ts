/** Places of NVIDIA's libraries in the data folder. */
import { join } from 'node:path'

export function nvidiaFolder(dataDir: string): string {
  return join(dataDir, 'nvidia')
}

/** Returns the folder of libraries that inferd has fetched or imported. */
export function ownLibraryFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'lib')
}

/** Returns the folder of links to all found libraries, which engines get as the loader's path. */
export function loaderFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'loader')
}

export function licenseFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'licenses')
}

/** Returns the folder of kernels that NVIDIA's driver has compiled for this machine's cards. */
export function cudaCacheFolder(dataDir: string): string {
  return join(dataDir, 'cuda-cache')
}

/** Returns the folder of wheels that are being fetched. */
export function downloadFolder(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'downloads')
}
