/** Backends of this machine for a running server: probes them on demand and remembers the results. */

import type { EngineKind } from '../../core/model.ts'
import { within } from '../../core/within.ts'
import { hasAnyGpu } from '../../machine/gpu-signs.ts'
import type { NvidiaUse } from '../../nvidia/libraries.ts'
import type { EngineEnd } from '../host/hosted-engine.ts'
import type { EngineSpawn } from '../host/spawn-engine.ts'
import {
  type BackendCandidate,
  type BackendVerdict,
  type ComputedDevice,
  deviceIndices,
  type FailedDevice,
  type JudgedBackend,
  type ProbedKind,
  probedKind,
  type RuntimePaths,
} from '../protocol/backend.ts'
import { askProbe, type ProbeOptions } from './ask-probe.ts'
import { type BackendProblem, backendProblems } from './backend-words.ts'
import { blamedDevices, failingIndices, withoutDevices } from './blame-devices.ts'
import type { CandidateTable } from './candidates.ts'
import { chooseBackend, type DeviceSetting } from './choose-backend.ts'
import { compilesFor } from './cuda-fit.ts'
import type { MachineFacts } from './machine-facts.ts'
import { withCudnn, withoutCudnn } from './onnx-candidates.ts'
import { backendFailureOf, type Reason } from './reasons.ts'

/** Successful probes of earlier server runs. */
export interface RememberedProbes {
  /** Returns the devices that computed; undefined if no success is known. */
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
  /** Returns the names of NVIDIA's libraries that this use needs and this machine lacks. */
  readonly missingLibraries?: (use: NvidiaUse) => readonly string[]
  /** Time after which a temporary failure is probed again. */
  readonly retryAfterMs?: number
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** Users of NVIDIA's libraries, by the ids of candidates. */
const nvidiaUses: Readonly<Record<string, NvidiaUse>> = {
  'llama cuda': 'llama-cuda-13',
  'llama cuda-12': 'llama-cuda-12',
  [`onnx ${withCudnn}`]: 'onnx-cuda-13',
  [`onnx ${withoutCudnn}`]: 'onnx-cuda-13',
}

/** Limit of a probe, since a driver may hang. */
const limitMs = 60_000
/** Limit of a probe in which the driver compiles kernels: once per card, for libraries without its machine code. */
const compilingLimitMs = 10 * 60_000

const retryAfterMs = 60_000

/** Longest wait of `tried`, below the doctor's limit of 20 s per check. */
const triedWithinMs = 12_000

export class Backends {
  readonly #options: BackendsOptions
  readonly #verdicts = new Map<string, BackendVerdict>()
  /** Keys of temporary failures, with the time of the next probe by `performance.now()`. */
  readonly #retries = new Map<string, number>()
  /** Running probes by key, so that none runs twice. */
  readonly #running = new Map<string, Promise<BackendVerdict>>()
  /** Keys of running probes for which the driver compiles kernels. */
  readonly #compiling = new Set<string>()
  readonly #ending = new AbortController()
  readonly #kinds: readonly ProbedKind[]
  #paths: RuntimePaths | undefined

  constructor(options: BackendsOptions) {
    this.#options = options
    this.#kinds = Object.keys(options.candidates) as ProbedKind[] // the keys of a constant
  }

  /**
   * Returns the paths of native libraries and the backends. Probes the backends of `engine` (default: of all engines),
   * in order, until one computes for `device`.
   */
  async runtime(device: DeviceSetting = 'auto', engine?: EngineKind): Promise<RuntimePaths> {
    const paths = await this.#options.runtime()
    this.#paths = paths
    for (const kind of this.#kinds) {
      if (engine !== undefined && probedKind(engine) !== kind) continue
      for (const candidate of this.#candidates(kind)) {
        if (device !== 'auto' && candidate.backend !== device) continue
        const verdict = await this.#judge(candidate, paths)
        if (verdict.state === 'computes') break
      }
    }
    return { ...paths, backends: Object.fromEntries(this.#kinds.map((kind) => [kind, this.#judged(kind)])) }
  }

  /** Finds the libraries, which the executable may have to unpack; nothing is probed. */
  async locate(): Promise<void> {
    this.#paths = await this.#options.runtime()
  }

  /** Returns the present state without probing. Empty before the libraries were located. */
  report(): readonly JudgedBackend[] {
    return this.#kinds.flatMap((kind) =>
      this.#candidates(kind).map((candidate) => ({ ...candidate, verdict: this.#shown(candidate) })),
    )
  }

  /** Returns the known problems of the backends, and of cards without one. */
  problems(): readonly BackendProblem[] {
    return backendProblems(this.report(), this.#options.facts.signs())
  }

  /** Probes as far as a load needs it. Returns the state after at most `waitMs`; slower probes continue. */
  async tried(waitMs = triedWithinMs): Promise<readonly JudgedBackend[]> {
    if (this.#paths === undefined) await this.locate()
    await within(this.runtime(), waitMs, () => undefined)
    return this.report()
  }

  /** Probes every backend again, despite earlier results. */
  async probeAll(): Promise<readonly JudgedBackend[]> {
    this.#paths = await this.#options.runtime()
    const before = new Map(this.#verdicts)
    this.#verdicts.clear()
    this.#options.facts.forget()
    for (const kind of this.#kinds) {
      for (const candidate of this.#candidates(kind)) {
        const verdict = await this.#judge(candidate, this.#paths, 'afresh')
        const known = before.get(keyOf(candidate))
        // A temporary failure, such as a GPU filled by loaded models, does not replace an earlier success.
        if (known?.state === 'computes' && mayPass(verdict)) this.#verdicts.set(keyOf(candidate), known)
      }
    }
    return this.report()
  }

  /** Returns the id of the backend that an engine's next load would use now; undefined if it has no choice. */
  chosen(engine: EngineKind, device: DeviceSetting): string | undefined {
    const kind = probedKind(engine)
    if (kind === undefined || !this.#kinds.includes(kind)) return undefined
    const choice = chooseBackend(this.#judged(kind), device)
    return 'backend' in choice ? chosenName(choice.backend) : 'none'
  }

  /** Returns whether the driver compiles kernels for a card when a model is loaded with the next load's backend. */
  compiles(engine: EngineKind, device: DeviceSetting): boolean {
    const kind = probedKind(engine)
    if (kind === undefined) return false
    const choice = chooseBackend(this.#judged(kind), device)
    if (!('backend' in choice)) return false
    const { capabilities = [], code } = this.#facts(choice.backend)
    return compilesFor(capabilities, code)
  }

  /**
   * Reads the last lines of an ended engine. Returns the reason if its backend ended it. The blamed cards, or the
   * library if no other card is left, then count as failing until probed again, so the next load takes another card or
   * library.
   */
  noteEnd({ kind: engine, device, runtime, devices, lines }: EngineEnd): Reason | undefined {
    const kind = probedKind(engine)
    if (kind === undefined) return undefined
    const judged = runtime.backends?.[kind] ?? []
    const choice = chooseBackend(judged, device)
    if (!('backend' in choice) || choice.backend.backend === 'cpu') return undefined
    const reason = backendFailureOf({ lines, ...this.#facts(choice.backend) })
    if (reason === undefined) return undefined
    for (const backend of judged) {
      if (backend.library !== choice.backend.library) continue
      const known = this.#known(backend)
      const all = known.state === 'computes' ? deviceIndices(known.devices) : []
      const rest = withoutDevices(known, blamedDevices(devices ?? all, lines), reason)
      if (rest !== undefined) this.#failDevices(backend, known, rest)
      else {
        this.#verdicts.set(keyOf(backend), { state: 'fails', ...reason, lines })
        if (known.state === 'computes') this.#options.log('warn', failureText(backend, reason))
      }
    }
    return reason
  }

  /** Marks cards as failed in the verdict of a backend that computes on others. */
  #failDevices(backend: BackendCandidate, before: BackendVerdict, after: BackendVerdict): void {
    if (after === before) return
    this.#verdicts.set(keyOf(backend), after)
    const known = failingIndices(before)
    const added = after.state === 'computes' ? (after.failing ?? []).filter(({ index }) => !known.includes(index)) : []
    for (const failed of added) this.#options.log('warn', deviceFailureText(backend, failed))
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

  /** Returns the verdict to show. A running probe precedes an earlier result. */
  #shown(candidate: BackendCandidate): BackendVerdict {
    const key = keyOf(candidate)
    return this.#running.has(key) ? { state: 'trying', compiles: this.#compiling.has(key) } : this.#known(candidate)
  }

  #known(candidate: BackendCandidate): BackendVerdict {
    if (candidate.backend === 'cpu') return { state: 'computes', devices: [], tookMs: 0 }
    if (!hasAnyGpu(this.#options.facts.signs())) return { state: 'no-device' }
    return this.#verdicts.get(keyOf(candidate)) ?? { state: 'untried' }
  }

  async #judge(candidate: BackendCandidate, paths: RuntimePaths, how?: 'afresh'): Promise<BackendVerdict> {
    const known = this.#known(candidate)
    const key = keyOf(candidate)
    const isDue = mayPass(known) && performance.now() >= (this.#retries.get(key) ?? 0)
    if (known.state !== 'untried' && !isDue) return known
    const running = this.#running.get(key) ?? this.#probe(candidate, paths, how)
    this.#running.set(key, running)
    try {
      const verdict = await running
      this.#verdicts.set(key, verdict)
      this.#retries.set(key, performance.now() + (this.#options.retryAfterMs ?? retryAfterMs))
      return verdict
    } finally {
      this.#running.delete(key)
      this.#compiling.delete(key)
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
    const compiles = compilesFor(facts.capabilities(), explaining.code)
    if (compiles) {
      this.#compiling.add(keyOf(candidate))
      log('info', `${candidate.label}: compiling for this card, once`)
    }
    const options = {
      ...{ spawn, runtime, facts: explaining, signal: this.#ending.signal },
      limitMs: compiles ? compilingLimitMs : limitMs,
    }
    const verdict = await this.#probeApart(candidate, await askProbe(candidate, options), options)
    // Not remembered if a device failed, so that the next server tries the device again.
    if (verdict.state === 'computes' && verdict.failing === undefined) {
      remembered.record(key, verdict.devices)
      const names = verdict.devices.map(({ name }) => name).join(', ')
      log('info', `${candidate.label} (${candidate.kind}) computes on ${names}; tried in ${verdict.tookMs} ms`)
    }
    if (verdict.state === 'fails') log('warn', failureText(candidate, verdict))
    return verdict
  }

  /** Probes each device in a separate child if one of several may have failed the whole probe. */
  async #probeApart(
    candidate: BackendCandidate,
    verdict: BackendVerdict,
    options: ProbeOptions,
  ): Promise<BackendVerdict> {
    const { facts, log } = this.#options
    const count = candidate.backend === 'cuda' ? facts.cardCount() : 1
    if (verdict.state !== 'fails' || count < 2) return verdict
    const each: BackendVerdict[] = []
    for (let deviceIndex = 0; deviceIndex < count; deviceIndex++)
      each.push(await askProbe(candidate, { ...options, deviceIndex }))
    const devices = each.flatMap((alone) => (alone.state === 'computes' ? alone.devices : []))
    if (devices.length === 0) return verdict
    const failing = each.flatMap((alone, index) =>
      alone.state === 'fails' ? [{ index, reason: alone.reason, nextStep: alone.nextStep }] : [],
    )
    const names = devices.map(({ name }) => name).join(', ')
    log('info', `${candidate.label} (${candidate.kind}) computes on ${names}`)
    for (const failed of failing) log('warn', deviceFailureText(candidate, failed))
    return { state: 'computes', devices, tookMs: 0, ...(failing.length > 0 && { failing }) }
  }

  #facts(candidate: BackendCandidate): ProbeOptions['facts'] {
    const { facts, missingLibraries = () => [] } = this.#options
    const { kind, library } = candidate
    const use = nvidiaUses[keyOf(candidate)]
    return {
      driver: facts.signs().nvidiaDriver,
      capabilities: facts.capabilities(),
      code: library === undefined ? undefined : facts.codeOf(library),
      missing: use === undefined ? [] : missingLibraries(use),
      canBeBuilt: kind === 'llama',
    }
  }
}

function mayPass(verdict: BackendVerdict): boolean {
  return verdict.state === 'fails' && verdict.mayPass === true
}

function failureText({ label, kind }: BackendCandidate, { reason, nextStep }: Reason): string {
  return `${label} (${kind}) does not compute: ${reason}; ${nextStep}`
}

function deviceFailureText(candidate: BackendCandidate, { index, ...reason }: FailedDevice): string {
  return failureText({ ...candidate, label: `${candidate.label} on gpu${index}` }, reason)
}

/** Returns the backend's id, with its devices if some failed: models are placed only on the working ones. */
function chosenName({ id, verdict }: JudgedBackend): string {
  const isPart = verdict.state === 'computes' && verdict.failing !== undefined
  return isPart ? `${id} on ${deviceIndices(verdict.devices).join(', ')}` : id
}

function keyOf({ kind, id }: BackendCandidate): string {
  return `${kind} ${id}`
}
