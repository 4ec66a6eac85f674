import { afterAll, beforeEach, expect, test } from 'bun:test'
import { choosePayer, hasLostPayer, notePayer, payer, recallPayer } from './payer.ts'

const [research, design] = [{ id: 'acc_research' }, { id: 'acc_design' }]

const kept = new Map<string, string>()
const browsers = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
// The tests' process has no storage of a browser.
Object.defineProperty(globalThis, 'localStorage', {
  configurable: true,
  value: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  },
})
afterAll(() => {
  payer.value = undefined
  if (browsers === undefined) Reflect.deleteProperty(globalThis, 'localStorage')
  else Object.defineProperty(globalThis, 'localStorage', browsers)
})
beforeEach(() => {
  kept.clear()
  recallPayer('acc_ann', [research])
  choosePayer(research.id)
})

test('an account that signs in beside another keeps its own choice', () => {
  kept.set('inferd-payer-acc_bob', design.id)
  recallPayer('acc_bob', [design])
  expect([payer.value, hasLostPayer.value]).toEqual([design.id, false])
  recallPayer('acc_carl', [design])
  expect([payer.value, hasLostPayer.value]).toEqual([undefined, false])
  recallPayer('acc_ann', [research])
  expect([payer.value, hasLostPayer.value]).toEqual([research.id, false])
})

test('a refusal of the team that was chosen before takes no later choice away', () => {
  choosePayer(design.id)
  notePayer({ code: 'not_a_member' }, research.id)
  expect([payer.value, hasLostPayer.value]).toEqual([design.id, false])
  notePayer({ code: 'not_a_member' }, design.id)
  expect([payer.value, hasLostPayer.value]).toEqual([undefined, true])
})

test('a person who left the chosen team pays again, and is told', () => {
  recallPayer('acc_ann', [design])
  expect([payer.value, hasLostPayer.value]).toEqual([undefined, true])
})
