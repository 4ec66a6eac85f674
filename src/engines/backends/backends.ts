/** The backends of this machine for a running server: probes them when somebody needs them, and remembers what computed. */
import { hasAnyGpu } from '../../machine/gpu-signs.ts'
import type { RuntimePaths } from '../protocol.ts'
import type { EngineSpawn } from '../spawn-engine.ts'
import { askProbe } from './ask-probe.ts'
import type { BackendCandidate, BackendVerdict, ComputedDevice, JudgedBackend, ProbedKind } from './backend.ts'
import type { CandidateTable } from './candidates.ts'
import { chooseBackend, type DeviceSetting } from './choose-backend.ts'
import type { MachineFacts } from './machine-facts.ts'
import { backendFailureOf, type DriverNeeds, type LibraryCode, type Reason } from './reasons.ts'

/** Successes of earlier starts. */
export interface RememberedProbes {
  /** Devices that computed; undefined where this was not seen. */
  recall(key: ProbeKey): readonly ComputedDevice[] | undefined
  record(key: ProbeKey, devices: readonly ComputedDevice[]): void
}

export interface ProbeKey {
  readonly kind: ProbedKind
  readonly backend: string
  /** Everything that may change the result: driver, cards, library, visible devices. */
  readonly machine: string
}

export interface BackendsOptions {
  readonly spawn: EngineSpawn
  readonly runtime: () => Promise<RuntimePaths>
  /** Candidates per kind, the best first. */
  readonly candidates: CandidateTable
  readonly facts: MachineFacts
  readonly remembered: RememberedProbes
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** Oldest drivers by the toolkit of a library. */
const needs: Readonly<Record<string, DriverNeeds>> = {
  cuda: { machineCode: '580', ptx: '590.44' },
  'cuda-12': { machineCode: '525', ptx: '550' },
}

/** A driver may hang. */
const limitMs = 60_000
/** The driver compiles the kernels of a library without machine code for the card, once. */
const compilingLimitMs = 10 * 60_000

/** Other engines whose models ONNX Runtime computes. */
const onOnnxRuntime: ReadonlySet<string> = new Set(['speech', 'diarization'])

export class Backends {
  readonly #options: BackendsOptions
  readonly #verdicts = new Map<string, BackendVerdict>()
  /** Probes that run, so that none runs twice. */
  readonly #running = new Map<string, Promise<BackendVerdict>>()
  readonly #ending = new AbortController()
  readonly #kinds: readonly ProbedKind[]
  #paths: RuntimePaths | undefined

  constructor(options: BackendsOptions) {
    this.#options = options
    this.#kinds = Object.keys(options.candidates) as ProbedKind[] // the keys of a constant
  }

  /** Returns the paths of native libraries, and backends probed as far as `device` needs it: until one computes. */
  async runtime(device: DeviceSetting = 'auto'): Promise<RuntimePaths> {
    const paths = await this.#options.runtime()
    this.#paths = paths
    for (const kind of this.#kinds) {
      for (const candidate of this.#candidates(kind)) {
        if (device !== 'auto' && candidate.backend !== device) continue
        const verdict = await this.#judge(candidate, paths)
        if (verdict.state === 'computes') break
      }
    }
    return { ...paths, backends: Object.fromEntries(this.#kinds.map((kind) => [kind, this.#judged(kind)])) }
  }

  /** Returns what is known now; nothing is probed. Empty before the first use of an engine. */
  report(): readonly JudgedBackend[] {
    return this.#kinds.flatMap((kind) => this.#judged(kind))
  }

  /** Probes every backend again, whatever was known. */
  async probeAll(): Promise<readonly JudgedBackend[]> {
    this.#paths = await this.#options.runtime()
    this.#verdicts.clear()
    this.#options.facts.forget()
    for (const kind of this.#kinds) {
      for (const candidate of this.#candidates(kind)) await this.#judge(candidate, this.#paths, 'afresh')
    }
    return this.report()
  }

  /**
   * Reads the last lines of an engine that ended. Returns the reason where its backend ended it: it then counts as failing until
   * the next start, and the next load takes another one.
   */
  noteEnd(kind: string, device: string, lines: readonly string[]): Reason | undefined {
    const [probed] = this.#kinds.filter((each) => each === kind || (each === 'onnx' && onOnnxRuntime.has(kind)))
    if (probed === undefined) return undefined
    const choice = chooseBackend(this.#judged(probed), device === 'vulkan' || device === 'cuda' ? device : 'auto')
    if (!('backend' in choice) || choice.backend.backend === 'cpu') return undefined
    const { backend } = choice
    const reason = backendFailureOf({ lines, ...this.#facts(backend) })
    if (reason === undefined) return undefined
    this.#verdicts.set(keyOf(backend), { state: 'fails', ...reason, lines })
    this.#options.log('warn', failureText(backend, reason))
    return reason
  }

  stop(): void {
    this.#ending.abort(new Error('the server stops'))
  }

  #candidates(kind: ProbedKind): readonly BackendCandidate[] {
    return this.#paths === undefined ? [] : (this.#options.candidates[kind]?.(this.#paths) ?? [])
  }

  #judged(kind: ProbedKind): readonly JudgedBackend[] {
    return this.#candidates(kind).map((candidate) => ({ ...candidate, verdict: this.#known(candidate) }))
  }

  #known(candidate: BackendCandidate): BackendVerdict {
    if (candidate.backend === 'cpu') return { state: 'computes', devices: [], tookMs: 0 }
    if (!hasAnyGpu(this.#options.facts.signs())) return { state: 'no-device' }
    return this.#verdicts.get(keyOf(candidate)) ?? { state: 'untried' }
  }

  async #judge(candidate: BackendCandidate, paths: RuntimePaths, how?: 'afresh'): Promise<BackendVerdict> {
    const known = this.#known(candidate)
    if (known.state !== 'untried') return known
    const key = keyOf(candidate)
    const running = this.#running.get(key) ?? this.#probe(candidate, paths, how)
    this.#running.set(key, running)
    try {
      const verdict = await running
      this.#verdicts.set(key, verdict)
      return verdict
    } finally {
      this.#running.delete(key)
    }
  }

  async #probe(candidate: BackendCandidate, runtime: RuntimePaths, how?: 'afresh'): Promise<BackendVerdict> {
    const { spawn, facts, remembered, log } = this.#options
    const key = {
      kind: candidate.kind,
      backend: candidate.id,
      machine: await facts.machineKey(candidate.library),
    }
    const devices = how === 'afresh' ? undefined : remembered.recall(key)
    if (devices !== undefined) return { state: 'computes', devices, tookMs: 0 }
    const explaining = this.#facts(candidate)
    const compiles = compilesFor(explaining.capabilities, explaining.code)
    if (compiles) log('info', `${candidate.label}: compiling for this card, once`)
    const verdict = await askProbe(candidate, {
      ...{ spawn, runtime, facts: explaining, signal: this.#ending.signal },
      limitMs: compiles ? compilingLimitMs : limitMs,
    })
    if (verdict.state === 'computes') {
      remembered.record(key, verdict.devices)
      const names = verdict.devices.map(({ name }) => name).join(', ')
      log('info', `${candidate.label} (${candidate.kind}) computes on ${names}; tried in ${verdict.tookMs} ms`)
    }
    if (verdict.state === 'fails') log('warn', failureText(candidate, verdict))
    return verdict
  }

  #facts({ id, library }: BackendCandidate) {
    const { facts } = this.#options
    return {
      driver: facts.signs().nvidiaDriver,
      needs: needs[id],
      capabilities: facts.capabilities(),
      code: library === undefined ? undefined : facts.codeOf(library),
    }
  }
}

/** Returns whether the driver must compile kernels: no machine code for one of the cards, but PTX. */
export function compilesFor(capabilities: readonly string[], code: LibraryCode | undefined): boolean {
  if (code === undefined || code.ptx.length === 0) return false
  return capabilities.some((capability) => !hasMachineCode(code.machineCode, capability))
}

/** Machine code runs on cards of the same major version that are as new; with a letter on its own card alone. */
function hasMachineCode(machineCode: readonly string[], capability: string): boolean {
  const [major = 0, minor = 0] = capability.split('.').map(Number)
  return machineCode.some((each) => {
    const number = Number.parseInt(each, 10)
    const isExact = number === major * 10 + minor
    return /[a-z]$/.test(each) ? isExact : Math.floor(number / 10) === major && number <= major * 10 + minor
  })
}

function failureText({ label, kind }: BackendCandidate, { reason, nextStep }: Reason): string {
  return `${label} (${kind}) does not compute: ${reason}; ${nextStep}`
}

function keyOf({ kind, id }: BackendCandidate): string {
  return `${kind} ${id}`
}
