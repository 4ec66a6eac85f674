/** The doctor's check of GPUs: each GPU must be able to compute. */

import type { Config } from '../../config/config.ts'
import { backendProblems } from '../../engines/backends/backend-words.ts'
import type { JudgedBackend } from '../../engines/protocol/backend.ts'
import { isShipped, llamaCudaLibrary } from '../../engines/runtime/runtime-paths.ts'
import { type GpuSigns, hasAnyGpu, readGpuSigns, usualPlaces } from '../../machine/gpu-signs.ts'
import { missingLibraries } from '../../nvidia/advice.ts'
import { findNvidiaLibraries } from '../../nvidia/find-libraries.ts'
import type { Finding } from './check.ts'

/**
 * Returns a problem if a GPU exists but models run on the CPU, or nothing is known; a warning if only the next best
 * backend computes. `judged` must come after probing all backends that a load would try.
 */
export function backendFindings(judged: readonly JudgedBackend[], signs: GpuSigns): readonly Finding[] {
  const computing = judged.flatMap(({ label, kind, backend, verdict }): Finding[] => {
    if (verdict.state !== 'computes' || backend === 'cpu') return []
    const names = verdict.devices.map(({ name }) => name).join(', ')
    return [{ verdict: 'ok', text: `${label} computes for engine "${kind}" on ${names}` }]
  })
  const problems = backendProblems(judged, signs).map(
    ({ text, advice, severity }): Finding => ({ verdict: severity, text, advice }),
  )
  return [...computing, ...problems, ...(hasAnyGpu(signs) ? unknown(judged) : [])]
}

/** Returns a problem if backends that a load would try gave no result in time. */
function unknown(judged: readonly JudgedBackend[]): readonly Finding[] {
  const open = judged.filter(({ kind, verdict }) => {
    const isComputing = judged.some((each) => each.kind === kind && isComputingOnGpu(each))
    return (verdict.state === 'untried' || verdict.state === 'trying') && !isComputing
  })
  if (open.length === 0) return []
  return [
    {
      verdict: 'bad',
      text: `a GPU is here, and whether models compute on it is not known: ${open.map(({ label }) => label).join(', ')} gave no result in time`,
      advice:
        "'inferd gpu probe' waits for each, and says what is wrong; a driver that compiles for a new card takes minutes, once",
    },
  ]
}

function isComputingOnGpu({ backend, verdict }: JudgedBackend): boolean {
  return backend !== 'cpu' && verdict.state === 'computes'
}

/** Returns a finding on NVIDIA's libraries. Empty if this program or machine could not use them. */
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
