import { expect, test } from 'bun:test'
import { MediaUnits } from './media-units.ts'

test('the same hash has the same unit, another hash another, and none is a token', () => {
  const units = new MediaUnits()
  const [cat, dog] = [units.unitOf('cat'), units.unitOf('dog')]
  expect(units.unitOf('cat')).toBe(cat)
  expect(dog).not.toBe(cat)
  expect(Math.max(cat, dog)).toBeLessThan(0)
})

test('a hash that was forgotten gets a new unit, one in use keeps its own', () => {
  const units = new MediaUnits()
  const [used, unused] = [units.unitOf('used'), units.unitOf('unused')]
  const seen = new Set([used, unused])
  for (let index = 0; index < 20_000; index++) {
    seen.add(units.unitOf(`picture ${index}`))
    units.unitOf('used')
  }
  expect(seen.size).toBe(20_002)
  expect(units.unitOf('used')).toBe(used)
  expect(seen).not.toContain(units.unitOf('unused'))
})
