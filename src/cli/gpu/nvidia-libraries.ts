/** Steps that the commands for NVIDIA's libraries share. */
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { errorText } from '../../core/error-text.ts'
import { isShipped, llamaCudaLibrary } from '../../engines/runtime/runtime-paths.ts'
import { findNvidiaLibraries, type NvidiaLibraries } from '../../nvidia/find-libraries.ts'
import { linkLibraries } from '../../nvidia/link-libraries.ts'
import type { Io } from '../io.ts'
import { probeByServer } from './known-backends.ts'

/** Finds the libraries and links them for the loader: engines that start from now on use them. */
export function relinkLibraries({ data, nvidiaLibraries }: Config, io: Io): NvidiaLibraries {
  const libraries = findNvidiaLibraries({ dataDir: data, named: nvidiaLibraries, environment: io.environment })
  linkLibraries(data, libraries.found)
  return libraries
}

/** Warning of a program without CUDA before it fetches or copies the libraries, which it cannot use. */
export const withoutCuda = "This program has no code for CUDA: inferd-cuda uses NVIDIA's libraries, not this one"

export function waitingHint(io: Io): () => void {
  return () => io.error("another command works on NVIDIA's libraries; this one waits for it\n")
}

export function hasCuda(): boolean {
  return isShipped(llamaCudaLibrary)
}

/** Makes a running server use the present libraries. Returns text for the operator about what can use them. */
export async function tellServer(command: Command, io: Io): Promise<string> {
  const usual = hasCuda() ? 'Models that are loaded from now on can use them.' : 'inferd-cuda can use them.'
  return (await probeAgain(command, io)) ?? usual
}

/**
 * Asks a running server to probe again, since it remembers results of the earlier libraries. Returns text about it;
 * undefined without a server.
 */
export async function probeAgain(command: Command, io: Io): Promise<string | undefined> {
  try {
    if ((await probeByServer(command, io)) === undefined) return undefined
    return "The running server has probed its backends again; 'inferd gpu' shows them."
  } catch (error) {
    const reason = errorText(error)
    return `The running server could not probe its backends again (${reason}): restart it.`
  }
}
