/** Measured times of a decoder's steps, kept between two loads of a model. */
import { jsonIn } from './json.ts'

/** Times of the latest steps of one size in milliseconds, the latest first. */
export type SizeTimes = readonly [rows: number, timesMs: readonly number[]]

/** Costs of steps in one layout of the KV cache with one number of threads. */
export interface StepCurve {
  /** Name that the engine gives it. */
  readonly layout: string
  readonly threads: number
  /** Steps without prompts, by rows. */
  readonly answers: readonly SizeTimes[]
  /** One row of a prompt, by the step's rows of prompts. */
  readonly promptRow: readonly SizeTimes[]
}

/** Steps of one size whose times count. */
export const timesKept = 5

/** Curves of a model that are kept: those that were used last. */
export const curvesKept = 8

/** Different sizes of a curve, at most; there are some 80. */
const sizesKept = 256

/** Returns the curves of stored JSON. Nothing of it counts where a part is no such thing. */
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
