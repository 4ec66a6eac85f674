import { expect, test } from 'bun:test'
import type { Work } from '../core/work.ts'
import { DeadlyRequests } from './deadly-requests.ts'

const tenMinutesMs = 600_000

test('a request that was noted is refused for ten minutes, and others are not read after that', () => {
  const deadly = new DeadlyRequests()
  let reads = 0
  const embedding = (input: string): Work => {
    const inputs = [input]
    return {
      kind: 'embed',
      get request() {
        reads++
        return { inputs }
      },
    }
  }
  deadly.note(embedding('a'), 0)
  deadly.note(embedding('b'), 1_000)
  expect([deadly.has(embedding('a'), 999), deadly.has(embedding('c'), 999)]).toEqual([true, false])
  expect([deadly.has(embedding('a'), tenMinutesMs), deadly.has(embedding('b'), tenMinutesMs)]).toEqual([false, true])
  reads = 0
  expect([deadly.has(embedding('b'), tenMinutesMs + 1_000), reads]).toEqual([false, 0])
})
