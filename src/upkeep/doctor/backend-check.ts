/** The doctor's check of GPUs: those that are there must compute. */
import type { JudgedBackend } from '../../engines/backends/backend.ts'
import { backendProblems } from '../../engines/backends/backend-words.ts'
import { type GpuSigns, hasAnyGpu } from '../../machine/gpu-signs.ts'
import type { Finding } from './check.ts'

/**
 * Returns a problem if a GPU exists but models run on the CPU, or nothing is known; a warning if the next best backend
 * computes. `judged` come after probing all that a load would try.
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

/** Backends that a load would try, and that were not tried to their end. */
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
