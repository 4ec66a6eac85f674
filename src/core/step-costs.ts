/** Measured times of a decoder's steps, stored from one load of a model to the next. */
import { jsonIn } from './json.ts'

/** Latest times in milliseconds of steps with `rows` rows, the latest first. */
export type SizeTimes = readonly [rows: number, timesMs: readonly number[]]

/** Times of steps with one layout of the KV cache and one number of threads. */
export interface StepCurve {
  /** Engine's name of the layout. */
  readonly layout: string
  readonly threads: number
  /** Times of steps without prompts, by rows. */
  readonly answers: readonly SizeTimes[]
  /** Time per row of a prompt, by the number of prompt rows in a step. */
  readonly promptRow: readonly SizeTimes[]
}

/** Number of times kept per size. */
export const timesKept = 5

/** Number of curves kept per model, the last used ones. */
export const curvesKept = 8

/** Limit on different sizes in a curve. There are some 80. */
const sizesKept = 256

/** Returns the curves of stored JSON; none if any part is invalid. */
export function readStepCurves(json: string): readonly StepCurve[] {
  const curves = jsonIn(json)
  return Array.isArray(curves) && curves.length <= curvesKept && curves.every(isCurve) ? curves : []
}

function isCurve(value: unknown): value is StepCurve {
  if (typeof value !== 'object' || value === null) return false
  const { layout, threads, answers, promptRow } = value as { readonly [Name in keyof StepCurve]?: unknown }
  return typeof layout === 'string' && isCount(threads) && areTimes(answers) && areTimes(promptRow)
}

function areTimes(value: unknown): boolean {
  return Array.isArray(value) && value.length <= sizesKept && value.every(isSize)
}

function isSize(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [rows, times]: readonly unknown[] = value
  return isCount(rows) && Array.isArray(times) && times.length > 0 && times.length <= timesKept && times.every(isTime)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
}
