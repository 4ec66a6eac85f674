import type { Config } from '../../config/config.ts'
import { isShipped, llamaCudaLibrary } from '../../engines/runtime/runtime-paths.ts'
import { readGpuSigns, usualPlaces } from '../../machine/gpu-signs.ts'
import { missingLibraries } from '../../nvidia/advice.ts'
import { findNvidiaLibraries } from '../../nvidia/find-libraries.ts'
import type { Finding } from './check.ts'

/** Says whether NVIDIA's libraries are here where a card could be used by this program; nothing elsewhere. */
export function nvidiaFindings({ data, nvidiaLibraries, engineEnvironment }: Config): Finding[] {
  const { LD_LIBRARY_PATH } = engineEnvironment
  const { nvidiaDriver } = readGpuSigns(usualPlaces(LD_LIBRARY_PATH))
  if (nvidiaDriver === undefined || !isShipped(llamaCudaLibrary)) return []
  const libraries = findNvidiaLibraries({ dataDir: data, named: nvidiaLibraries, environment: { LD_LIBRARY_PATH } })
  const problem = missingLibraries(nvidiaDriver, libraries)
  if (problem !== undefined) return [{ verdict: 'bad', ...problem }]
  const cudart = libraries.found.find(({ soname }) => soname === 'libcudart.so.13')
  const text = `NVIDIA's libraries for CUDA 13 are here: ${cudart?.place ?? 'found'} (${cudart?.path ?? ''})`
  return [{ verdict: 'ok', text }]
}
