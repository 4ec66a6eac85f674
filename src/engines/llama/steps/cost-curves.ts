/**
 * Costs of steps by layout of the cache and number of threads, with those that earlier loads of the model have left.
 */
import type { CacheLayout } from '../../../core/cache-layout.ts'
import { curvesKept, type StepCurve } from '../../../core/step-costs.ts'
import { StepCosts } from './step-costs.ts'

interface Curve extends Pick<StepCurve, 'layout' | 'threads'> {
  readonly costs: StepCosts
}

export class CostCurves {
  /** In order of use; the latest is the last. */
  readonly #curves = new Map<string, Curve>()

  constructor(known: readonly StepCurve[] = []) {
    for (const { layout, threads, ...times } of known) {
      this.#curves.set(keyOf(layout, threads), { layout, threads, costs: new StepCosts(times) })
    }
  }

  /** Returns the costs of a layout. Undefined means the only one. */
  of(layout: CacheLayout | undefined, threads: number): StepCosts {
    const name = nameOf(layout)
    const key = keyOf(name, threads)
    const curve = this.#curves.get(key) ?? { layout: name, threads, costs: new StepCosts() }
    this.#curves.delete(key)
    this.#curves.set(key, curve)
    return curve.costs
  }

  /** Returns the curves used last, for the next load. */
  kept(): readonly StepCurve[] {
    const measured = [...this.#curves.values()].filter(({ costs }) => costs.isMeasured)
    return measured.slice(-curvesKept).map(({ costs, ...curve }) => ({ ...curve, ...costs.kept() }))
  }
}

function nameOf(layout: CacheLayout | undefined): string {
  if (layout === undefined) return 'only'
  const { isUnified, sequences, tokensEach } = layout
  return `${isUnified ? 'one' : 'each'} ${sequences} ${tokensEach}`
}

function keyOf(layout: string, threads: number): string {
  return `${threads} ${layout}`
}
