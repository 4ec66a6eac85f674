import { sizeText } from '../../core/quantities.ts'
import type { JudgedBackend } from '../../engines/protocol/backend.ts'
import { readCudaCode } from '../../machine/cuda-code.ts'
import { formatTable } from '../format.ts'
import type { Io } from '../io.ts'
import { wrapWords } from '../layout.ts'

/**
 * Returns the state of each backend: a table that fits a terminal of 80 columns, and sentences with details below it.
 */
export function backendTable(judged: readonly JudgedBackend[], { hint, width }: Pick<Io, 'hint' | 'width'>): string {
  const table = formatTable(judged, {
    ENGINE: ({ kind }) => kind,
    BACKEND: ({ label }) => label,
    STATE: ({ verdict }) => states[verdict.state],
    SIZE: ({ library }) => (library === undefined ? '-' : sizeText(Bun.file(library).size)),
  })
  const sentences = judged.flatMap(sentencesOf)
  return sentences.length === 0 ? table : `${table}\n${wrapWords(sentences.map(hint), width)}`
}

const states: Readonly<Record<JudgedBackend['verdict']['state'], string>> = {
  computes: 'computes',
  fails: 'fails',
  'no-device': 'no GPU',
  untried: 'not tried',
  trying: 'being tried',
}

function sentencesOf({ label, library, verdict }: JudgedBackend): readonly string[] {
  const code = library === undefined ? '' : codeText(library)
  return [verdictText(verdict), code].filter((words) => words !== '').map((words) => `${label} ${words}.`)
}

function verdictText(verdict: JudgedBackend['verdict']): string {
  if (verdict.state === 'fails') return `does not compute: ${verdict.reason}; ${verdict.nextStep}`
  if (verdict.state === 'trying' && verdict.compiles) return 'is being tried: compiling for this card, once'
  if (verdict.state !== 'computes' || verdict.devices.length === 0) return ''
  return `computes on ${verdict.devices.map(({ name }) => name).join(', ')}`
}

/**
 * Returns the architectures that a library has code for: `has code for 86, 89, 120a; PTX for 75, 90`; empty without
 * code for CUDA.
 */
function codeText(library: string): string {
  try {
    const { machineCode, ptx } = readCudaCode(library)
    const compiled = machineCode.length === 0 ? [] : [`code for ${machineCode.join(', ')}`]
    const portable = ptx.length === 0 ? [] : [`PTX for ${ptx.map(({ architecture }) => architecture).join(', ')}`]
    const held = [...compiled, ...portable].join('; ')
    return held === '' ? '' : `has ${held}`
  } catch {
    return ''
  }
}
