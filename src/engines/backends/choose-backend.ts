/** Chooses the backend of a load. Pure. */
import type { BackendName, JudgedBackend } from '../protocol/backend.ts'

export type DeviceSetting = 'auto' | BackendName

type BackendChoice =
  | { readonly backend: JudgedBackend }
  /** Message for the operator, with the next step. */
  | { readonly problem: string }

/** Returns the first candidate that computes. A named device limits the candidates to backends of that name. */
export function chooseBackend(judged: readonly JudgedBackend[], device: DeviceSetting): BackendChoice {
  const wanted = judged.filter(({ backend }) => device === 'auto' || backend === device)
  const backend = wanted.find(({ verdict }) => verdict.state === 'computes')
  if (backend !== undefined) return { backend }
  return { problem: `device '${device}' cannot be used: ${problemsOf(wanted, device)}` }
}

function problemsOf(wanted: readonly JudgedBackend[], device: DeviceSetting): string {
  const failures = wanted.flatMap(({ label, verdict }) =>
    verdict.state === 'fails' ? [`${label}: ${verdict.reason}; ${verdict.nextStep}`] : [],
  )
  if (failures.length > 0) return `${failures.join('. ')}. Or choose --device auto or cpu`
  const isShipped = wanted.length > 0
  const words = isShipped ? 'there is no device for it on this machine' : `this program has no library for ${device}`
  return `${words}; choose --device auto or cpu`
}
