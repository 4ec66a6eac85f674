/** Texts about NVIDIA's libraries for the log, the doctor and commands. Pure. */
import type { NvidiaLibraries } from './find-libraries.ts'
import { listed } from './libraries.ts'

/**
 * Returns one sentence with the command that helps, if there is a driver and llama.cpp's CUDA build lacks libraries;
 * else undefined.
 */
export function missingLibraries(
  driver: string | undefined,
  { missing }: Pick<NvidiaLibraries, 'missing'>,
): { readonly text: string; readonly advice: string } | undefined {
  const lacking = missing['llama-cuda-13']
  if (driver === undefined || lacking.length === 0) return undefined
  return {
    text: `NVIDIA's driver ${driver} is here, but not ${listed(lacking)}: models cannot use CUDA`,
    advice: "'inferd gpu install' fetches NVIDIA's libraries (about 0.5 GB)",
  }
}
