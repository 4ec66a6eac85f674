import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { SettingValues } from '../core/setting.ts'
import type { StepCurve } from '../core/step-costs.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'

/** Known memory of this machine and needs of models: see `memory/model-memory.ts`. */
export interface KnownMemory {
  read(): Promise<MemoryReadings>
  /** The last that was read. */
  readonly readings: MemoryReadings
  /** Placements of an earlier dry run; undefined if there was none like it. */
  recallDryRun(question: DryRunQuestion): readonly Placement[] | undefined
  recordDryRun(question: DryRunQuestion, placements: readonly Placement[]): void
  /** Costs of steps of earlier loads in that placement; none if the program, the machine or the model was another one. */
  recallStepCurves(model: LoadedAs, placement: Placement): readonly StepCurve[]
  /** Keeps the costs of a loaded model's steps. */
  recordStepCurves(modelId: string, curves: readonly StepCurve[]): void
  recall(model: LoadedAs, placements: readonly Placement[]): RecalledLoads
  /** Records a loaded model. Passes its process's memory to `onMeasured` now and at each change, until `ended`. */
  loaded(
    model: LoadedAs,
    pid: number,
    load: { readonly placement: Placement; readonly before: MemoryReadings; readonly loadMs: number },
    onMeasured: (used: MemoryBytes) => void,
  ): Promise<void>
  ended(modelId: string): void
}

interface DryRunQuestion {
  readonly modelId: string
  /** Changes with everything that the engine is given. */
  readonly revision: string
  readonly budgetBytes: MemoryBytes
  /** Backend that would compute; undefined if there is no choice. */
  readonly backend: string | undefined
}

/** Corrections of a model's estimates by its earlier loads. */
export interface RecalledLoads {
  /** Estimates, as those loads correct them. */
  readonly placements: readonly Placement[]
  /** Typical time of these loads in milliseconds. Absent before the first one. */
  readonly loadMs?: number
  /** Keys of the placements that were loaded before, with these devices and drivers. */
  readonly loaded?: ReadonlySet<string>
}

/** A model as an engine is given it. */
export interface LoadedAs {
  readonly modelId: string
  readonly files: string
  readonly settings: SettingValues
  readonly engine: string
}
