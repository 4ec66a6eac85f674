/** After an intended change of an answer's bytes, run `bun scripts/update-wire-fixtures.ts` and read the difference. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { wireFixtures } from '../testing/wire-fixtures.ts'

const fixtures = wireFixtures()

test.each(fixtures)('$name: the same events are the same bytes', ({ path, bytes }) => {
  expect(bytes).toBe(readFileSync(path, 'utf8'))
})

test('every file in the folder is one of them', () => {
  const folder = dirname(fixtures[0]?.path ?? '')
  expect(readdirSync(folder).sort()).toEqual(fixtures.map(({ name }) => name).sort())
})
