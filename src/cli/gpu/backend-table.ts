import { sizeText } from '../../core/quantities.ts'
import type { JudgedBackend } from '../../engines/backends/backend.ts'
import { formatTable } from '../format.ts'
import { codeText } from './code-text.ts'

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
