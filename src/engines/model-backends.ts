/** Chooses the backend of each load, and another one after a crash caused by the backend or the GPU. */
import type { Placement } from '../core/memory.ts'
import { tellsReason } from './backends/reasons.ts'
import { keptOf } from './host/exit-reason.ts'
import { type ModelEngine, revisionOf } from './model-engine.ts'
import { settingsOf } from './model-settings.ts'
import type { SchedulerArm } from './scheduler-arm.ts'
import type { CrashFacts } from './silent-crashes.ts'

/** End of an engine. `wasOnGpu` and `lines` default to those of the model's process. */
interface Crash extends Pick<CrashFacts, 'isCrash' | 'wasLoading'> {
  readonly wasOnGpu?: boolean
  readonly lines?: readonly string[]
}

const crashWords = {
  'to-cpu':
    "its engine ended on the GPU without a word: it is loaded on the CPU; 'inferd gpu probe' has the GPU tried again",
  'back-to-gpu': 'its engine ended on the CPU too: the GPU was not to blame, and is used again',
}

export class ModelBackends {
  readonly #arm: SchedulerArm

  constructor(arm: SchedulerArm) {
    this.#arm = arm
  }

  /** Returns the engine kind and the device setting that determine the model's backend. */
  userOf({ loaded: { manifest } }: ModelEngine) {
    const { device = 'auto' } = settingsOf(manifest, this.#arm.options.settings)
    return { kind: manifest.engine, device }
  }

  /** Returns the backend of the model's next load; undefined where there is no choice. */
  chosen(engine: ModelEngine): string | undefined {
    const { kind, device } = this.userOf(engine)
    return this.#arm.options.backends?.chosen(kind, device)
  }

  /** Returns whether a load may compile kernels for the card. */
  mayCompile(engine: ModelEngine, { needBytes }: Placement): boolean {
    const { kind, device } = this.userOf(engine)
    return !isOnHost(needBytes) && this.#arm.options.backends?.compiles(kind, device) === true
  }

  /**
   * Returns why an engine ended. If its backend was the cause, names it and lets the model be estimated for the next
   * backend.
   */
  explain(engine: ModelEngine, reason: string, lines: readonly string[] = keptOf(engine.history.lines)): string {
    const runtime = engine.process?.runtime ?? engine.runtime
    if (runtime === undefined) return reason
    const failure = this.#arm.options.backends?.noteEnd({
      ...{ ...this.userOf(engine), runtime },
      devices: engine.process && devicesOf(engine.placement),
      lines: [...lines, reason],
    })
    if (failure === undefined) return reason
    this.follow(engine)
    return `${failure.reason}; ${failure.nextStep} (${reason})`
  }

  /**
   * Records a crash. Moves a model whose engines crash on a GPU without naming a reason to the CPU, unless a device
   * was set.
   */
  noteCrash(engine: ModelEngine, end: Crash): void {
    const { silentCrashes, history, process, placement, hasServed } = engine
    const { backends, log } = this.#arm.options
    const isFree = silentCrashes.keepsOffGpu || this.userOf(engine).device === 'auto'
    if (!isFree || backends === undefined) return
    const { lines = keptOf(history.lines), ...facts } = end
    const decision = silentCrashes.note({
      wasOnGpu: devicesOf(placement).length > 0 && process?.info?.device !== 'cpu',
      ...facts,
      hasWords: lines.some(tellsReason),
      hasServed: hasServed && !end.wasLoading,
    })
    if (decision === undefined) return
    log({ modelId: engine.id, level: 'warn', message: crashWords[decision] })
    this.follow(engine)
  }

  /**
   * Re-estimates models whose next load takes another backend than before. Loaded models keep theirs until they end;
   * with `'loaded'` they are loaded again once idle.
   */
  follow(which?: 'loaded' | ModelEngine): void {
    const { engines, options } = this.#arm
    let hasChanged = false
    for (const engine of engines.values()) {
      // A new probe of the backends means that the operator wants the GPU tried again.
      if (which === 'loaded') engine.silentCrashes.forget()
      const isKept = engine.process?.info !== undefined && which !== 'loaded' && which !== engine
      if (isKept || engine.backend === undefined || engine.backend === this.chosen(engine)) continue
      hasChanged = true
      engine.backend = undefined
      engine.backendChanges++
      engine.estimating?.abort()
      engine.revision = revisionOf(engine.model, options.settings, engine.backendChanges)
    }
    if (hasChanged) this.#arm.configure()
  }
}

/** Returns whether a placement takes no memory of devices. */
export function isOnHost(needBytes: Placement['needBytes']): boolean {
  return Object.keys(needBytes).every((pool) => pool === 'host')
}

/** Returns the indices of the GPUs in a placement, from the engine's own fields. */
function devicesOf(placement: Placement | undefined): readonly number[] {
  const { devices, device, deviceIndex } = placement?.load ?? {}
  if (Array.isArray(devices)) return devices.filter((index) => typeof index === 'number')
  return device === 'cuda' && typeof deviceIndex === 'number' ? [deviceIndex] : []
}
