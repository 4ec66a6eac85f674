import { sizeText } from '../../core/quantities.ts'
import type { JudgedBackend } from '../../engines/backends/backend.ts'
import { readCudaCode } from '../../machine/cuda-code.ts'
import { formatTable } from '../format.ts'

/** Returns what is known of each backend, as a table. */
export function backendTable(judged: readonly JudgedBackend[]): string {
  return formatTable(judged, {
    ENGINE: ({ kind }) => kind,
    BACKEND: ({ label }) => label,
    STATE: ({ verdict }) => states[verdict.state],
    'CODE FOR': ({ library }) => (library === undefined ? '-' : codeText(library)),
    SIZE: ({ library }) => (library === undefined ? '-' : sizeText(Bun.file(library).size)),
    REASON: reasonText,
  })
}

const states: Readonly<Record<JudgedBackend['verdict']['state'], string>> = {
  computes: 'computes',
  fails: 'fails',
  'no-device': 'no GPU',
  untried: 'not tried',
}

function reasonText({ verdict }: JudgedBackend): string {
  if (verdict.state === 'fails') return `${verdict.reason}; ${verdict.nextStep}`
  if (verdict.state !== 'computes' || verdict.devices.length === 0) return '-'
  return verdict.devices.map(({ name }) => name).join(', ')
}

/** Names the architectures that a library has code for: `86, 89, 120a; PTX 75, 90`; `-` where it has none of CUDA's. */
function codeText(library: string): string {
  try {
    const { machineCode, ptx } = readCudaCode(library)
    const compiled = machineCode.length === 0 ? [] : [machineCode.join(', ')]
    const portable = ptx.length === 0 ? [] : [`PTX ${ptx.map(({ architecture }) => architecture).join(', ')}`]
    return [...compiled, ...portable].join('; ') || '-'
  } catch {
    return '-'
  }
}
