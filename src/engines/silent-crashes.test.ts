import { expect, test } from 'bun:test'
import { type CrashFacts, SilentCrashes } from './silent-crashes.ts'

const silent: CrashFacts = { isCrash: true, hasWords: false, wasOnGpu: true, wasLoading: false, hasServed: false }
const load = { ...silent, wasLoading: true }
const onCpu = { ...silent, wasOnGpu: false }
const served = { ...silent, hasServed: true }

test.each([
  ['two in a row before anything was served', [silent, silent], [undefined, 'to-cpu']],
  ['one in a load', [load], ['to-cpu']],
  ['one alone', [silent], [undefined]],
  ['one after requests were served, between two', [silent, served, silent], [undefined, undefined, undefined]],
  ['ends that are no crash', [silent, { ...silent, isCrash: false }, silent], [undefined, undefined, undefined]],
  [
    'crashes with words',
    [
      { ...load, hasWords: true },
      { ...silent, hasWords: true },
    ],
    [undefined, undefined],
  ],
  ['crashes on the CPU', [onCpu, onCpu, { ...load, wasOnGpu: false }], [undefined, undefined, undefined]],
  ['one on the CPU after the move', [silent, silent, onCpu], [undefined, 'to-cpu', 'back-to-gpu']],
  [
    'one on the CPU that had served',
    [load, { ...onCpu, hasServed: true }, onCpu],
    ['to-cpu', undefined, 'back-to-gpu'],
  ],
  ['a kill on the CPU after the move', [load, { ...onCpu, isCrash: false }], ['to-cpu', undefined]],
  ['more after the way back', [load, onCpu, load, silent], ['to-cpu', 'back-to-gpu', undefined, undefined]],
])('%s', (_, ends, decisions) => {
  const crashes = new SilentCrashes()
  expect(ends.map((end) => crashes.note(end))).toEqual([...decisions] as never[])
})

test('a probe has the GPU tried again', () => {
  const crashes = new SilentCrashes()
  crashes.note(load)
  expect([crashes.keepsOffGpu, crashes.moves]).toEqual([true, 1])
  crashes.forget()
  expect([crashes.keepsOffGpu, crashes.moves]).toEqual([false, 1])
  expect(crashes.note(silent)).toBeUndefined()
  expect([load, onCpu, load].map((end) => crashes.note(end))).toEqual(['to-cpu', 'back-to-gpu', undefined])
  crashes.forget()
  expect(crashes.note(load)).toBe('to-cpu')
})
