import { expect, test } from 'bun:test'
import type { ChatEvent } from '../core/chat.ts'
import { PassReader } from './pass-reader.ts'

test("calls of the client's tools are counted without the searches between them", () => {
  const reader = new PassReader('web_search')
  const calls = ['find', 'web_search', 'find'].flatMap((name, index): ChatEvent[] => [
    { type: 'tool-call-start', choice: 0, index, name },
    { type: 'tool-call-delta', choice: 0, index, argumentsText: `${index}` },
  ])
  const shown = calls.flatMap((event) => reader.read(event) ?? [])
  expect(shown).toEqual([
    { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '0' },
    { type: 'tool-call-start', choice: 0, index: 1, name: 'find' },
    { type: 'tool-call-delta', choice: 0, index: 1, argumentsText: '2' },
  ])
  reader.read({ type: 'choice-finish', choice: 0, reason: 'tool-calls' })
  expect(reader.end()).toMatchObject({ hasClientCalls: true, calls: [{ name: 'web_search', argumentsText: '1' }] })
})
