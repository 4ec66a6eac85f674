/** The parts of a load and how long each took, for operators who want to know why a model is not there at once. */

/**
 * Phases of a load, in their order. No engine has all.
 * - `dryRun`: a dry run finds out what memory the model needs. Absent if it is known.
 * - `files`: files are checked, native libraries unpacked and backends tried, where that was not done before.
 * - `process`: a process starts and reads its program.
 * - `libraries`: native libraries are opened.
 * - `weights`: vocabulary and weights are read, or mapped.
 * - `context`: the KV cache and the buffers of computation are made.
 * - `template`: the chat template is analysed, which begins beside the context: its time after that.
 * - `projector`: the projector of a model that sees is read.
 * - `tokenizer`: the tokenizer of a text model is read.
 * - `check`: results of the model are compared with those that its manifest names.
 */
export const loadPhases = [
  'dryRun',
  'files',
  'process',
  'libraries',
  'weights',
  'context',
  'template',
  'projector',
  'tokenizer',
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
