import { cpus } from 'node:os'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { StepCurve } from '../core/step-costs.ts'
import type { MemoryReadings, ReadMemory } from '../machine/read-memory.ts'
import type { DryRunKey, DryRuns } from './dry-runs.ts'
import type { MeasuredMemory, MeasurementKey } from './measured-memory.ts'
import { type HostUse, MemorySampler } from './memory-sampler.ts'
import { overheadBytes, reservationBytes, takenFromDevices } from './reservation.ts'
import type { StepCurves } from './step-curves.ts'

/** Model as it is passed to an engine. */
export interface LoadedAs extends Omit<MeasurementKey, 'placement' | 'backend'> {
  readonly engine: string
}

interface ModelMemoryOptions {
  /** Version of the program. Measurements of other versions do not count. */
  readonly version: string
  readonly store: MeasuredMemory
  readonly dryRuns: DryRuns
  readonly stepCurves: StepCurves
  /** Runs a write in a transaction, some time later. */
  readonly write: (work: () => void) => void
  readonly readMemory: ReadMemory
}

/** Dry run as engines ask for it, see their `DryRunQuestion`. */
interface DryRunQuestion extends Omit<DryRunKey, 'machine'> {
  readonly backend: string | undefined
}

interface Residency {
  readonly key: MeasurementKey
  /** JSON of the step costs that were stored last. */
  storedCurves: string | undefined
  readonly placement: Placement
  readonly before: MemoryReadings
  /** Load time. Undefined once it is recorded. */
  loadMs: number | undefined
  devices: MemoryBytes
  readonly onMeasured: (used: MemoryBytes) => void
}

/** Memory needs of models, measured while they are loaded. */
export class ModelMemory {
  readonly #options: ModelMemoryOptions
  readonly #residencies = new Map<string, Residency>()
  readonly #sampler = new MemorySampler({ onChange: (modelId, use) => this.#note(modelId, use) })
  #readings: MemoryReadings = {}

  constructor(options: ModelMemoryOptions) {
    this.#options = options
  }

  async read(): Promise<MemoryReadings> {
    this.#readings = await this.#options.readMemory()
    return this.#readings
  }

  /** Latest readings. */
  get readings(): MemoryReadings {
    return this.#readings
  }

  /** Returns placements of a dry run with the same model, settings, program, devices and drivers. */
  recallDryRun(question: DryRunQuestion): readonly Placement[] | undefined {
    return this.#options.dryRuns.recall(this.#dryRunKey(question))
  }

  recordDryRun(question: DryRunQuestion, placements: readonly Placement[]): void {
    const { write, dryRuns } = this.#options
    write(() => dryRuns.record(this.#dryRunKey(question), placements))
  }

  /** Returns the step costs from an earlier load with the same program, files, settings and machine. */
  recallStepCurves(model: LoadedAs, placement: Placement): readonly StepCurve[] {
    return this.#options.stepCurves.recall(withCpu(this.#key(model, placement)))
  }

  /** Replaces the stored step costs of a loaded model. */
  recordStepCurves(modelId: string, curves: readonly StepCurve[]): void {
    const residency = this.#residencies.get(modelId)
    const json = JSON.stringify(curves)
    if (residency === undefined || curves.length === 0 || residency.storedCurves === json) return
    residency.storedCurves = json
    const { write, stepCurves } = this.#options
    write(() => stepCurves.record(withCpu(residency.key), curves))
  }

  #dryRunKey({ backend = 'none', ...question }: DryRunQuestion): DryRunKey {
    const hardware = Object.values(this.#readings).flatMap((reading) =>
      reading === 'unknown' ? [] : (reading?.hardware ?? []),
    )
    return { ...question, machine: [this.#options.version, backend, cpuName(), ...hardware].join(', ') }
  }

  /** Returns estimates corrected by earlier loads, the duration of such loads, and the keys of loaded placements. */
  recall(
    model: LoadedAs,
    placements: readonly Placement[],
  ): { placements: readonly Placement[]; loadMs?: number; loaded: ReadonlySet<string> } {
    const recalled = placements.map((placement) => this.#options.store.recall(this.#key(model, placement)))
    const loadMs = recalled.find((each) => each.loadMs !== undefined)?.loadMs
    return {
      placements: placements.map((placement, index) => {
        const known = recalled[index]
        return known === undefined
          ? placement
          : { ...placement, needBytes: reservationBytes(placement.needBytes, known) }
      }),
      ...(loadMs !== undefined && { loadMs }),
      loaded: new Set(placements.flatMap(({ key }, index) => (recalled[index]?.loadMs === undefined ? [] : [key]))),
    }
  }

  /**
   * Starts measuring a model that took `loadMs` to load in a running process. Reports its memory now and after each
   * change, until `ended`. `placement`: estimate without corrections by earlier loads. `before`: readings before the
   * load.
   */
  async loaded(
    model: LoadedAs,
    pid: number,
    load: { readonly placement: Placement; readonly before: MemoryReadings; readonly loadMs: number },
    onMeasured: (used: MemoryBytes) => void,
  ): Promise<void> {
    const { placement, before, loadMs } = load
    const residency: Residency = {
      key: this.#key(model, placement),
      storedCurves: undefined,
      placement,
      before,
      loadMs,
      devices: {},
      onMeasured,
    }
    this.#residencies.set(model.modelId, residency)
    const hasDevices = Object.keys(placement.needBytes).some((pool) => pool !== 'host')
    if (hasDevices) residency.devices = takenFromDevices(before, await this.read().catch(() => ({})))
    if (this.#residencies.get(model.modelId) === residency) this.#sampler.start(model.modelId, pid)
  }

  ended(modelId: string): void {
    this.#sampler.stop(modelId)
    this.#residencies.delete(modelId)
  }

  #key({ engine, ...model }: LoadedAs, { key, needBytes }: Placement): MeasurementKey {
    const hardware = Object.keys(needBytes).flatMap((pool) => {
      const reading = this.#readings[pool]
      return reading === undefined || reading === 'unknown' ? [] : (reading.hardware ?? [])
    })
    return { ...model, placement: key, backend: [`${engine} ${this.#options.version}`, ...hardware].join(', ') }
  }

  #note(modelId: string, { usedBytes, peakBytes }: HostUse): void {
    const residency = this.#residencies.get(modelId)
    if (residency === undefined) return
    const { key, placement, devices, loadMs, onMeasured } = residency
    const peak = { ...devices, host: peakBytes }
    const measured = { peakBytes: peak, overheadBytes: overheadBytes(placement.needBytes, peak), loadMs }
    residency.loadMs = undefined
    this.#options.write(() => this.#options.store.record(key, measured))
    onMeasured({ ...devices, host: usedBytes })
  }
}

/** Returns the key with the processor, on which costs depend. */
function withCpu(key: MeasurementKey): MeasurementKey {
  return { ...key, backend: `${key.backend}, ${cpuName()}` }
}

function cpuName(): string {
  return cpus()[0]?.model ?? ''
}
