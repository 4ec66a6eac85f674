/** Signs of a GPU that cost nothing to read: files of the kernel and of drivers. Opens no library. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../core/names-in.ts'

export interface GpuSigns {
  /** Version of NVIDIA's kernel driver, such as `580.95.05`. Undefined if it is not loaded. */
  readonly nvidiaDriver?: string | undefined
  /** True if `libcuda.so.1` is where the loader looks. */
  readonly hasLibcuda: boolean
  /** True if the kernel shows a device that can compute or draw, which Vulkan may use. */
  readonly hasRenderer: boolean
}

export interface SignPlaces {
  readonly driverFile: string
  readonly libraryFolders: readonly string[]
  readonly deviceFolder: string
}

/** Folders where distributions and NVIDIA's container toolkit put `libcuda.so.1`. */
const usualFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/lib/x86_64-linux-gnu',
  '/usr/lib/wsl/lib',
  '/usr/local/nvidia/lib64',
  '/run/opengl-driver/lib',
]

/** Returns the usual places of the signs. `libraryPath`: the loader's `LD_LIBRARY_PATH`. */
export function usualPlaces(libraryPath = ''): SignPlaces {
  return {
    driverFile: '/proc/driver/nvidia/version',
    libraryFolders: [...libraryPath.split(':').filter((folder) => folder !== ''), ...usualFolders],
    deviceFolder: '/dev/dri',
  }
}

/** Reads the signs in well under a millisecond. */
export function readGpuSigns({ driverFile, libraryFolders, deviceFolder }: SignPlaces): GpuSigns {
  return {
    nvidiaDriver: driverVersion(readOr(driverFile)),
    hasLibcuda: libraryFolders.some((folder) => existsSync(join(folder, 'libcuda.so.1'))),
    hasRenderer: namesIn(deviceFolder).some((name) => name.startsWith('renderD')),
  }
}

export function hasAnyGpu({ nvidiaDriver, hasLibcuda, hasRenderer }: GpuSigns): boolean {
  return nvidiaDriver !== undefined || hasLibcuda || hasRenderer
}

/** Returns the best sign, as the subject of a sentence. */
export function gpuSignWords({ nvidiaDriver, hasLibcuda }: GpuSigns): string {
  if (nvidiaDriver !== undefined) return `NVIDIA's driver ${nvidiaDriver}`
  return hasLibcuda ? "NVIDIA's driver library libcuda.so.1" : 'a graphics device (/dev/dri)'
}

/**
 * Returns the version in `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  …`. Also reads the line of the
 * open kernel modules.
 */
export function driverVersion(text: string): string | undefined {
  return /^NVRM version:.*?\s(\d{3,}\.\d+(?:\.\d+)?)\s/m.exec(text)?.[1]
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
