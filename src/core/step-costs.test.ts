import { expect, test } from 'bun:test'
import { curvesKept, readStepCurves, type StepCurve } from './step-costs.ts'

const curve: StepCurve = { layout: 'one 4 2048', threads: 2, answers: [[1, [0.5, 0.25]]], promptRow: [[64, [0.01]]] }

test('stored curves are read as they were', () => {
  expect(readStepCurves(JSON.stringify([curve, { ...curve, threads: 1 }]))).toEqual([curve, { ...curve, threads: 1 }])
})

test.each([
  ['', 'cut'],
  ['[{"layout":"one', 'cut'],
  ['null', 'none'],
  ['{}', 'none'],
  ['[null]', 'no curve'],
  [JSON.stringify([curve, { ...curve, answers: undefined }]), 'an earlier form'],
  [JSON.stringify([{ ...curve, threads: 0 }]), 'no threads'],
  [JSON.stringify([{ ...curve, layout: 4 }]), 'a number as its layout'],
  [JSON.stringify([{ ...curve, answers: [[1, []]] }]), 'a size without times'],
  [JSON.stringify([{ ...curve, answers: [[1, [1, 1, 1, 1, 1, 1]]] }]), 'more times than count'],
  [JSON.stringify([{ ...curve, answers: [[-1, [1]]] }]), 'negative rows'],
  [JSON.stringify([{ ...curve, answers: [[1.5, [1]]] }]), 'half a row'],
  [JSON.stringify([{ ...curve, answers: [[1, [-1]]] }]), 'a negative time'],
  [JSON.stringify([curve]).replace('0.5', '1e999'), 'an endless time'],
  [JSON.stringify([{ ...curve, promptRow: [[64, ['1']]] }]), 'a time in words'],
  [JSON.stringify([{ ...curve, promptRow: [[64]] }]), 'half a size'],
  [JSON.stringify([{ ...curve, promptRow: Array.from({ length: 9999 }, () => [1, [1]]) }]), 'sizes without end'],
  [JSON.stringify(Array.from({ length: curvesKept + 1 }, () => curve)), 'more curves than are kept'],
])('%s is not believed: %s', (json) => {
  expect(readStepCurves(json)).toEqual([])
})
