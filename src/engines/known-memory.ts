import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { SettingValues } from '../core/setting.ts'
import type { StepCurve } from '../core/step-costs.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'

/** Knowledge about this machine's memory and the needs of models: see `memory/model-memory.ts`. */
export interface KnownMemory {
  read(): Promise<MemoryReadings>
  /** The last readings. */
  readonly readings: MemoryReadings
  /** Returns the placements of an equal earlier dry run; undefined if there was none. */
  recallDryRun(question: DryRunQuestion): readonly Placement[] | undefined
  recordDryRun(question: DryRunQuestion, placements: readonly Placement[]): void
  /**
   * Returns step costs measured by earlier loads in that placement. Empty if the program, the machine or the model has
   * changed since.
   */
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
  /** Changes with every input of the engine. */
  readonly revision: string
  readonly budgetBytes: MemoryBytes
  /** Backend that the load would use; undefined if there is no choice. */
  readonly backend: string | undefined
}

/** Corrections of a model's estimates from its earlier loads. */
export interface RecalledLoads {
  /** Placements with the corrected needs. */
  readonly placements: readonly Placement[]
  /** Typical time of these loads in milliseconds. Absent before the first one. */
  readonly loadMs?: number
  /** Keys of the placements that were loaded before, with these devices and drivers. */
  readonly loaded?: ReadonlySet<string>
}

/** The parts of a model by which its loads are compared. */
export interface LoadedAs {
  readonly modelId: string
  readonly files: string
  readonly settings: SettingValues
  readonly engine: string
}
