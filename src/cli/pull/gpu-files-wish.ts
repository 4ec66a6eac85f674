/** Decision of a pull about files that only loads on a GPU use. */
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { errorText } from '../../core/error-text.ts'
import type { GpuFilesWish } from '../../store/sources/source.ts'
import { triedBackends } from '../gpu/known-backends.ts'
import type { Io } from '../io.ts'

/**
 * Returns a function that decides by the flags; without them by whether speech computes on a GPU here, which is found
 * out once.
 */
export function gpuFilesWish(
  command: Command,
  io: Io,
  { device }: Pick<Config, 'device'>,
): () => Promise<GpuFilesWish> {
  const asked: unknown = command.getOptionValue('gpuFiles')
  let found: Promise<GpuFilesWish> | undefined
  return () => {
    found ??= typeof asked === 'boolean' ? Promise.resolve(asked ? 'asked' : 'no') : usefulHere(command, io, device)
    return found
  }
}

async function usefulHere(command: Command, io: Io, device: Config['device']): Promise<GpuFilesWish> {
  const { usesGpuForSpeech } = await import('../../engines/backends/onnx-candidates.ts')
  try {
    return usesGpuForSpeech(await triedBackends(command, io), device) ? 'useful' : 'no'
  } catch (error) {
    // A pull does not fail because the server is busy or of another version.
    const reason = errorText(error)
    io.error(`whether speech computes on a GPU here is not known (${reason}): --gpu-files fetches files for it\n`)
    return 'no'
  }
}
