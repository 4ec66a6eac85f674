/** Notices for the operator, worst first, and a summary of one sentence. Pure. */
import type { MachinePicture, Notice, ServerState, Severity } from '../core/live.ts'
import { countModels, modelIdOf } from '../core/model-counts.ts'
import type { WatchedModel } from '../core/model-state.ts'
import { sizeText } from '../core/quantities.ts'

export interface StateFacts {
  readonly engines: readonly WatchedModel[]
  /** Picture of the machine. Undefined before the first sample. */
  readonly machine: MachinePicture | undefined
  /** Number of mails that wait because no mail server accepts them. */
  readonly waitingMails: number
  /** Notices of other parts of the server: backups, checks, its address. */
  readonly others: readonly Notice[]
  readonly nowMs: number
}

const leastFreeShare = 0.1

export function serverState(facts: StateFacts): ServerState {
  const { engines, machine } = facts
  const found = [...deviceNotices(machine), ...engineNotices(facts), ...diskNotices(machine), ...mailNotices(facts)]
  const notices = [...found, ...facts.others].toSorted((a, b) => rank[a.severity] - rank[b.severity])
  const [worst] = notices
  if (worst?.severity === 'bad') return { severity: 'bad', sentence: worst.text, notices }
  return { severity: 'ok', sentence: servingSentence(engines), notices }
}

const rank: Readonly<Record<Severity, number>> = { bad: 0, warn: 1, ok: 2 }

function servingSentence(engines: readonly WatchedModel[]): string {
  const { loaded } = countModels({ statuses: [], engines })
  const loading = engines.filter(({ state }) => state === 'starting' || state === 'estimating')
  const [first] = loading
  const progress = first?.loadedFraction === undefined ? '' : `, ${Math.round(first.loadedFraction * 100)} %`
  const load = first === undefined ? '' : `Loading ${first.modelId}${progress}.`
  if (loaded > 0) return [`${counted(loaded, 'model')} ${loaded === 1 ? 'is' : 'are'} loaded.`, load].join(' ').trim()
  return load === '' ? 'No model is loaded: the first request loads one.' : load
}

function engineNotices({ engines, nowMs }: StateFacts): Notice[] {
  const failed = engines.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (first === undefined) return []
  const active = engines.filter(({ state }) => state !== 'stopped').length
  const reason = first.lastFailure?.reason.split('\n')[0]?.slice(0, 160) ?? 'it could not be loaded'
  const retry =
    first.retryAtMs === undefined
      ? 'it is not tried again by itself'
      : `next try in ${Math.max(0, Math.ceil((first.retryAtMs - nowMs) / 1000))} s`
  const others =
    failed.length === 1
      ? ''
      : ` Also: ${failed
          .slice(1)
          .map(({ modelId }) => modelId)
          .join(', ')}.`
  return [
    {
      code: 'engine_failed',
      severity: 'bad',
      text: `${failed.length} of ${counted(active, 'engine')} failed: ${first.modelId}, ${reason}, ${retry}.${others}`,
      link: `/admin/models/${modelIdOf(first.modelId)}`,
    },
  ]
}

function deviceNotices(machine: MachinePicture | undefined): Notice[] {
  return (machine?.devices ?? []).flatMap(({ id, name, state }): Notice[] => {
    if (state === 'ok') return []
    const what = name === id ? deviceName(id) : `${deviceName(id)} (${name})`
    const text =
      state === 'lost'
        ? `${what} is lost: its driver does not name it any more. A restart of the machine is likely needed; the kernel's log (dmesg) says why.`
        : `${what} does not answer.`
    return [{ code: `device_${state}`, severity: 'bad', text, link: '/admin' }]
  })
}

/** Returns `GPU 0` for `gpu0`. */
function deviceName(id: string): string {
  return id.replace(/^gpu(\d+)$/, 'GPU $1')
}

function diskNotices(machine: MachinePicture | undefined): Notice[] {
  const disk = machine?.disk
  if (disk === undefined || disk.freeBytes >= disk.totalBytes * leastFreeShare) return []
  const text = `The disk of the data folder has ${sizeText(disk.freeBytes)} left of ${sizeText(disk.totalBytes)}.`
  return [{ code: 'disk_low', severity: 'warn', text, link: '/admin/system' }]
}

function mailNotices({ waitingMails }: StateFacts): Notice[] {
  if (waitingMails === 0) return []
  const text = `${counted(waitingMails, 'mail')} ${waitingMails === 1 ? 'waits' : 'wait'} to be sent or handed out.`
  return [{ code: 'mails_wait', severity: 'warn', text, link: '/admin/mail' }]
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
