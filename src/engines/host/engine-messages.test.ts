import { expect, test } from 'bun:test'
import type { Engine } from '../protocol/engine.ts'
import { type FromEngine, protocolVersion } from '../protocol/messages.ts'
import { EngineMessages } from './engine-messages.ts'

test('a process whose note cannot be saved ends all the same', async () => {
  const { promise: ready, resolve } = Promise.withResolvers<FromEngine>()
  const ends: string[] = []
  const engine = {
    info: {},
    stats: () => ({}),
    leaveNote: () => {
      throw new Error('no memory')
    },
  } as unknown as Engine
  const messages = new EngineMessages({
    loader: async () => async () => engine,
    send: resolve,
    end: (how) => ends.push(how),
  })
  const load = { settings: {}, runtime: {}, model: {}, isCautious: false } as never
  messages.receive({ type: 'load', version: protocolVersion, kind: 'llama', ...(load as object) } as never)
  expect(await ready).toMatchObject({ type: 'ready' })
  expect(() => messages.receive({ type: 'stop', noteBytes: 1 })).toThrow('no memory')
  expect(ends).toEqual(['stopped'])
})
