import { expect, test } from 'bun:test'
import type { ServerStatus } from '../server/control.ts'
import { loadText } from './load-model.ts'

test('the line about a load says how far it is, what it takes and how long it has lasted', () => {
  const engine = { modelId: 'a/b', state: 'starting', loadedFraction: 0.426, loadingMs: 3_400 }
  const status = (more: object) =>
    ({
      engines: [
        { ...engine, modelId: 'c/d' },
        { ...engine, ...more },
      ],
    }) as unknown as ServerStatus
  const estimatedBytes = { host: 500_000_000, 'gpu:0': 12_000_000_000 }
  expect(loadText('a/b', status({ estimatedBytes }))).toBe('Loading a/b  43 %, 12.5 GB, 3 s')
  expect(loadText('a/b', status({ loadedFraction: undefined }))).toBe('Loading a/b  3 s')
  const early = { state: 'estimating', loadedFraction: undefined, loadingMs: undefined }
  expect(loadText('a/b', status(early))).toBe('Loading a/b …')
  expect(loadText('a/b', status({ state: 'ready' }))).toBe('Loading a/b …')
  expect(loadText('a/b', undefined)).toBe('Loading a/b …')
})
