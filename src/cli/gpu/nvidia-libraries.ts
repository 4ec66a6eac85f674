/** Steps that the commands for NVIDIA's libraries share. */
import type { Config } from '../../config/config.ts'
import { findNvidiaLibraries, type NvidiaLibraries } from '../../nvidia/find-libraries.ts'
import { linkLibraries } from '../../nvidia/link-libraries.ts'
import type { Io } from '../io.ts'

/** Looks for the libraries and has the loader find them: engines that start from now on use them. */
export function relinkLibraries({ data, nvidiaLibraries }: Config, io: Io): NvidiaLibraries {
  const libraries = findNvidiaLibraries({ dataDir: data, named: nvidiaLibraries, environment: io.environment })
  linkLibraries(data, libraries.found)
  return libraries
}

export const restartHint = 'Models that are loaded from now on can use them.'
