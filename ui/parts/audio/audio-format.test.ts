import { expect, test } from 'bun:test'
import { wavHeader as serversHeader } from '../../../src/core/wav-header.ts'
import { wavHeader } from './audio-format.ts'

test('bare samples get the header that the server would give them', () => {
  expect([...new Uint8Array(wavHeader(123_456))]).toEqual([...serversHeader(123_456)])
})
