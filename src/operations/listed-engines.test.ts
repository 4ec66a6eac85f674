import { expect, test } from 'bun:test'
import { modelState } from '../testing/model-state.ts'
import { toListedReport } from './models.ts'

const names =
  'modelId state pid info restarts lastExit failedLoad failedLoadCode lastFailure retryInMs running waiting longestWaitMs isPinned unloadsInMs loadedFraction isCompiling backend loadingMs placement estimatedBytes reservedBytes usedBytes promptBytes loads loadTimes stops'

test('an engine is listed with the same fields in the same order in every state', () => {
  const states = ['stopped', 'estimating', 'starting', 'ready', 'draining', 'stopping', 'failed'] as const
  const engines = states.map((state) => modelState({ state }))
  const report = toListedReport({ engines, pools: [], queue: [] })
  expect(Object.keys(report)).toEqual(['engines', 'pools', 'queue'])
  for (const engine of report.engines) expect(Object.keys(engine).join(' ')).toBe(names)
})
