import { expect, test } from 'bun:test'
import type { ServiceEvent } from '../core/service-events.ts'
import { StandingEvents, type StandingFacts } from './standing-events.ts'

const well: StandingFacts = { models: [], endpoints: [], backupFailedMs: undefined, disk: undefined, checks: [] }
const failed = { modelId: 'a/b', state: 'failed', failedLoad: 'no', failedLoadCode: 'bad-model' } as const
const hourMs = 3_600_000

function watched() {
  const events: ServiceEvent[] = []
  const clock = { nowMs: 0 }
  const standing = new StandingEvents(
    (event) => events.push(event),
    () => clock.nowMs,
  )
  return { events, clock, look: (facts: Partial<StandingFacts>) => standing.look({ ...well, ...facts }) }
}

test('each state that is bad is one event when it begins', () => {
  const { events, look } = watched()
  const facts = {
    models: [failed],
    endpoints: [{ model: 'a/far', url: 'http://gpu-2:8000/v1?key=secret', state: 'open' }],
    backupFailedMs: 7,
    disk: { freeBytes: 9, totalBytes: 100 },
    checks: [
      { name: 'clock', verdict: 'warn' },
      { name: 'mail', verdict: 'ok' },
    ],
  } as const
  look(facts)
  look({ ...facts, disk: { freeBytes: 8, totalBytes: 100 } })
  expect(events).toEqual([
    { type: 'model.failed', model: 'a/b', code: 'bad-model' },
    { type: 'endpoint.down', model: 'a/far', host: 'gpu-2:8000' },
    { type: 'backup.failed', failedMs: 7 },
    { type: 'disk.low', freeBytes: 9, totalBytes: 100 },
    { type: 'doctor.problem', check: 'clock', verdict: 'warn' },
  ])
})

test('a model that is tried again and fails again is no second event', () => {
  const { events, look } = watched()
  look({ models: [failed] })
  look({ models: [{ ...failed, state: 'starting' }] })
  look({ models: [failed] })
  expect(events).toHaveLength(1)
})

test('a state that comes and goes is reported once an hour', () => {
  const { events, clock, look } = watched()
  for (let minute = 0; minute < 120; minute++) {
    clock.nowMs = minute * 60_000
    look(minute % 2 === 0 ? { models: [failed] } : {})
  }
  expect(events).toHaveLength(2)
})

test('a state that ended and begins again later is a new event', () => {
  const { events, clock, look } = watched()
  look({ backupFailedMs: 1 })
  look({})
  clock.nowMs += hourMs
  look({ models: [failed] })
  look({ backupFailedMs: clock.nowMs, models: [failed] })
  expect(events.map(({ type }) => type)).toEqual(['backup.failed', 'model.failed', 'backup.failed'])
})
