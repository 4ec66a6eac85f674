/** Phases of a load and their times, for operators who want to know why a load takes long. */

/**
 * Phases of a load, in order. No engine has all of them.
 * - `dryRun`: a dry run finds out how much memory the model needs. Absent if this is known.
 * - `files`: files are checked, native libraries unpacked and backends tried, unless this was done before.
 * - `process`: a process starts and reads its program.
 * - `libraries`: native libraries are opened.
 * - `weights`: vocabulary and weights are read, or mapped.
 * - `context`: the KV cache and the compute buffers are made.
 * - `template`: the chat template is analysed, beginning beside `context`. Only the time after `context` counts.
 * - `projector`: the projector of a model that sees is read.
 * - `tokenizer`: the tokenizer of a text model is read.
 * - `check`: results of the model are compared with those in its manifest.
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

/** Measures consecutive phases, from its construction on. */
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
