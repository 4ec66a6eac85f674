/** Words for operators about backends that do not compute. Pure. */
import type { JudgedBackend } from './backend.ts'

export interface BackendProblem {
  readonly text: string
  readonly advice: string
  /** No better backend than the CPU computes for this kind of engine, although there is a GPU. */
  readonly isOnCpu: boolean
}

const kindNames: Readonly<Record<JudgedBackend['kind'], string>> = { llama: 'chat models', onnx: 'other models' }

/** Returns what is wrong with the backends that were tried, the worst of each kind first. */
export function backendProblems(judged: readonly JudgedBackend[]): readonly BackendProblem[] {
  return judged.flatMap(({ kind, label, verdict }) => {
    if (verdict.state !== 'fails') return []
    const used = judged.find((each) => each.kind === kind && each.verdict.state === 'computes')
    const isOnCpu = used === undefined || used.backend === 'cpu'
    const instead = `${kindNames[kind]} use ${used?.label ?? 'nothing'} instead`
    return [{ text: `${label} does not compute: ${verdict.reason}; ${instead}`, advice: verdict.nextStep, isOnCpu }]
  })
}
