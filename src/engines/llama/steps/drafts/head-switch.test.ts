import { expect, test } from 'bun:test'
import { HeadSwitch } from './head-switch.ts'

/**
 * Runs steps of a switch. With the head they bring `tokens` in `ms`, without it one token in 10 ms. Returns how many
 * had it on.
 */
function run(pays: HeadSwitch, steps: number, { tokens, ms }: { readonly tokens: number; readonly ms: number }) {
  let on = 0
  for (let step = 0; step < steps; step++) {
    if (pays.isOn) on++
    pays.observe(pays.isOn ? tokens : 1, pays.isOn ? ms : 10)
  }
  return on
}

const gain = { tokens: 2, ms: 12 }
const loss = { tokens: 1.1, ms: 13 }

test('a head that saves time stays on, but for rare trials without it', () => {
  const pays = new HeadSwitch()
  expect(pays.isOn).toBe(true)
  expect(run(pays, 10_000, gain)).toBeGreaterThan(9_700)
})

test('a head that costs time goes off after a trial, and is tried again ever more seldom', () => {
  const pays = new HeadSwitch()
  expect(run(pays, 1_000, loss)).toBeLessThan(150)
  expect(run(pays, 20_000, loss)).toBeLessThan(200)
})

test('a head that begins to pay is found out, and so is one that no longer does', () => {
  const pays = new HeadSwitch()
  run(pays, 500, loss)
  expect(pays.isOn).toBe(false)
  run(pays, 2_000, gain)
  expect(pays.isOn).toBe(true)
  run(pays, 2_000, loss)
  expect(pays.isOn).toBe(false)
})

test('rests while it is off, but reads during a trial without it', () => {
  const pays = new HeadSwitch()
  const seen = new Set<string>()
  for (let step = 0; step < 400; step++) {
    seen.add(`${pays.isOn ? 'on' : 'off'} ${pays.rests ? 'rests' : 'reads'}`)
    pays.observe(pays.isOn ? 2 : 1, 10)
  }
  expect([...seen]).toEqual(['on reads', 'off reads'])
  run(pays, 1_000, loss)
  expect(pays.rests).toBe(true)
})
