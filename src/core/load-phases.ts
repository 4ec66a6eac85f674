/** The parts of a load and how long each took, for operators who want to know why a model is not there at once. */

/** Parts in the order in which they come. No engine has all. */
export const loadPhases = [
  /** Memory that the model needs is found out by a dry run, before the load. Absent where it is known. */
  'dryRun',
  /** Files are checked, native libraries unpacked and backends probed, where that was not done before. */
  'files',
  /** A process starts and reads its program. */
  'process',
  'libraries',
  'weights',
  'context',
  /** Analysis of the chat template, which begins beside the context: its time after that. */
  'template',
  'projector',
  'tokenizer',
  /** Results of the model are compared with those that its manifest names. */
  'check',
] as const

export type LoadPhase = (typeof loadPhases)[number]

/** Milliseconds. */
export type LoadTimes = { readonly [Phase in LoadPhase]?: number }

/** Measures phases that follow each other, from its construction on. */
export class PhaseTimer {
  readonly #nowMs: () => number
  readonly #times: { [Phase in LoadPhase]?: number } = {}
  #sinceMs: number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#sinceMs = nowMs()
  }

  /** Counts the time since the last call to this phase. */
  end(phase: LoadPhase): void {
    const nowMs = this.#nowMs()
    this.#times[phase] = (this.#times[phase] ?? 0) + nowMs - this.#sinceMs
    this.#sinceMs = nowMs
  }

  get times(): LoadTimes {
    return { ...this.#times }
  }
}

export function sumOfTimes(times: LoadTimes): number {
  return Object.values(times).reduce((sum, ms) => sum + ms, 0)
}
