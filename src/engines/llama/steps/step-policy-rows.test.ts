import { expect, test } from 'bun:test'
import { simulatedMachines } from '../../../testing/simulated-machines.ts'
import { StepCosts } from './step-costs.ts'
import { chooseRows } from './step-policy.ts'

/** Runs steps of `count` answers. Returns the rows of each. */
function rowsOfSteps(
  count: number,
  steps: number,
  stepMs: (rows: number, step: number) => number,
  costs = new StepCosts(),
) {
  return Array.from({ length: steps }, (_, step) => {
    const { rows } = chooseRows(count, costs)
    costs.observe(rows, stepMs(rows, step))
    return rows
  })
}

const share = (rows: readonly number[], wanted: number) => rows.filter((each) => each === wanted).length / rows.length
const { 'EPYC without AMX': epyc, 'Xeon with AVX-512': xeon, GPU: gpu } = simulatedMachines

test('answers go one after the other where single rows are cheap', () => {
  for (const count of [2, 3, 4, 5, 6]) {
    const rows = rowsOfSteps(count, 1000, (each) => epyc.stepMs(each, 0))
    expect(share(rows, 1)).toBeGreaterThan(0.97)
  }
})

test('answers go together where that is faster, but for a few trials', () => {
  for (const [machine, count] of [
    [epyc, 8],
    [epyc, 32],
    [xeon, 2],
    [xeon, 8],
    [xeon, 32],
    [gpu, 7],
    [gpu, 64],
  ] as const) {
    const rows = rowsOfSteps(count, 2000, (each) => machine.stepMs(each, 0))
    expect(share(rows, count)).toBeGreaterThan(0.99)
  }
})

test('what is left over of a multiple of four waits where it costs too much', () => {
  expect(
    share(
      rowsOfSteps(31, 1000, (each) => epyc.stepMs(each, 0)),
      28,
    ),
  ).toBeGreaterThan(0.97)
})

test('one outlier of any kind changes nothing', () => {
  for (let outlier = 0; outlier < 200; outlier++) {
    const rows = rowsOfSteps(8, 400, (each, step) => xeon.stepMs(each, 0) * (step === outlier ? 50 : 1))
    expect(share(rows, 8)).toBeGreaterThan(0.98)
  }
})

test('learns that the machine has changed', () => {
  const costs = new StepCosts()
  rowsOfSteps(4, 300, (each) => epyc.stepMs(each, 0), costs)
  const rows = rowsOfSteps(4, 1000, (each) => xeon.stepMs(each, 0), costs)
  expect(share(rows.slice(300), 4)).toBeGreaterThan(0.97)
})
