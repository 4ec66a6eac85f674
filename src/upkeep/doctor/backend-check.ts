/** Whether the GPU that is there computes. */
import type { JudgedBackend } from '../../engines/backends/backend.ts'
import { backendProblems } from '../../engines/backends/backend-words.ts'
import type { Finding } from './check.ts'

/** A problem where a GPU is there and models run on the CPU; a warning where the next best backend computes. */
export function backendFindings(judged: readonly JudgedBackend[]): readonly Finding[] {
  const computing = judged.flatMap(({ label, kind, backend, verdict }): Finding[] => {
    if (verdict.state !== 'computes' || backend === 'cpu') return []
    const names = verdict.devices.map(({ name }) => name).join(', ')
    return [{ verdict: 'ok', text: `${label} computes for engine "${kind}" on ${names}` }]
  })
  const problems = backendProblems(judged).map(
    ({ text, advice, isOnCpu }): Finding => ({ verdict: isOnCpu ? 'bad' : 'warn', text, advice }),
  )
  return [...computing, ...problems]
}
