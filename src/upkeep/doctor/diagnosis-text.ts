/**
 * Text about a box for people who help its operator: without keys, addresses, names of people or texts of users. Pure.
 */
import { isIPv6 } from 'node:net'
import type { ModelState } from '../../core/model-state.ts'
import type { Diagnosis } from './doctor.ts'

export interface DiagnosedMachine {
  /** Kernel and its version. */
  readonly system: string
  readonly processor: string
  readonly cores: number
  readonly uptimeSeconds: number
  readonly dataDir: string
  /** Host names from the settings. */
  readonly hostNames: readonly string[]
  readonly engines: readonly ModelState[]
}

export function diagnosisText(diagnosis: Diagnosis, machine: DiagnosedMachine): string {
  const { checkedMs, checks, versions } = diagnosis
  const { system, processor, cores, uptimeSeconds, engines } = machine
  const lines = [
    `inferd diagnosis, ${new Date(checkedMs).toISOString()}, up ${Math.floor(uptimeSeconds / 60)} minutes`,
    `${system}; ${processor}, ${cores} cores`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    '',
    ...checks.map(({ name, verdict, text }) => `${verdict} ${name}: ${text}`),
    '',
    ...(engines.length === 0 ? ['no engine was started'] : engines.map(engineLine)),
  ]
  return `${lines.map((line) => withoutPrivate(line, machine)).join('\n')}\n`
}

function engineLine({
  modelId,
  state,
  info,
  restarts,
  loads,
  running,
  waiting,
  lastExit,
  failedLoad,
}: ModelState): string {
  const where = info === undefined ? '' : ` on ${info.device}`
  const counts = `${loads} loads, ${restarts} restarts, ${running} running, ${waiting} waiting`
  const failures = [
    lastExit === undefined ? [] : `; ended: ${lastExit}`,
    failedLoad === undefined ? [] : `; ${failedLoad}`,
  ]
  return `${modelId}: ${state}${where}; ${counts}${failures.flat().join('')}`
}

/** Replacements of private text. */
const replacements: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/sk-inferd-[0-9A-Za-z]+/g, '<key>'],
  [/[^\s<>"'=(]+@[^\s<>"'),;]+\.[A-Za-z]{2,}/g, '<mail address>'],
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'),;]+/gi, '<address>'],
  [/\bacc_\w+/g, '<account>'],
  [/\/(?:home|Users)\/[^/\s]+/g, '/home/<user>'],
  [/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?!\w|\.\d)/g, '<address>'],
]

/** IPv6, alone, with a port, or with an IPv4 address at its end. */
const maybeIpv6 = /[0-9a-f]*:[0-9a-f:]+(?:(?:\.\d{1,3}){3}(?::\d+)?)?/gi

export function withoutPrivate(
  line: string,
  { dataDir, hostNames }: Pick<DiagnosedMachine, 'dataDir' | 'hostNames'>,
): string {
  const known = line.replaceAll(dataDir, '<data>').replaceAll(/\s+/g, ' ')
  const withoutIpv6 = known.replaceAll(maybeIpv6, (text) =>
    isIPv6(text) || isIPv6(text.replace(/:\d+$/, '')) ? '<address>' : text,
  )
  const replaced = replacements.reduce(
    (text, [pattern, replacement]) => text.replaceAll(pattern, replacement),
    withoutIpv6,
  )
  return hostNames.reduce((text, name) => text.replaceAll(wholeName(name), '<host>'), replaced)
}

/** Returns a pattern of the name, alone or at the end of a longer one. */
function wholeName(name: string): RegExp {
  return new RegExp(`(?<![\\w-])(?:[\\w-]+\\.)*${RegExp.escape(name)}(?![\\w-])`, 'gi')
}
