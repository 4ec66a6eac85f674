import { expect, test } from 'bun:test'
import type { FileProgress } from '../../core/download.ts'
import type { ProcessIo } from '../io.ts'
import { openDisplay, timeText } from './display.ts'

const GB = 1e9

function shown({ isJson = false, isTerminal = false } = {}) {
  const lines: string[] = []
  const add = (text: string) => void lines.push(text)
  const io: ProcessIo = {
    out: add,
    deliver: async () => undefined,
    error: add,
    environment: {},
    ask: async () => undefined,
    redraw: isTerminal ? add : undefined,
  }
  let nowMs = 0
  const display = openDisplay(io, { isJson, clock: () => nowMs })
  display.begin('org/name', 20 * GB)
  const progress = (parts: Partial<FileProgress>) =>
    display.progress('org/name', {
      phase: 'download',
      name: 'm.gguf',
      bytes: 0,
      totalBytes: 20 * GB,
      rate: 0,
      ...parts,
    })
  return {
    lines,
    display,
    progress,
    wait: (ms: number) => {
      nowMs += ms
    },
  }
}

test('on a terminal one line shows how far it is, how fast, and how long it will take', () => {
  const { lines, progress, wait } = shown({ isTerminal: true })
  for (let second = 0; second <= 10; second++) {
    progress({ bytes: second * 0.1 * GB, rate: 0.1 * GB })
    wait(1000)
  }
  expect(lines.at(-1)).toBe('org/name  5 %  1 GB of 20 GB  100 MB/s  3:10 left')
})

test('elsewhere a line comes every few seconds', () => {
  const { lines, progress, wait } = shown()
  for (let tenth = 0; tenth <= 120; tenth++) {
    progress({ bytes: tenth * 0.01 * GB, rate: 0.1 * GB })
    wait(100)
  }
  expect(lines).toHaveLength(2)
  expect(lines[0]).toEndWith(' left\n')
})

test('several models share the line', () => {
  const { lines, display, progress, wait } = shown({ isTerminal: true })
  display.begin('org/other', 0)
  wait(1000)
  progress({ bytes: GB })
  expect(lines).toEqual(['org/name  5 %  1 GB of 20 GB   org/other  0 %  0 B of 0 B'])
})

test('what comes after the download is said in words', () => {
  const { lines, progress, wait } = shown({ isTerminal: true })
  for (const phase of ['verify', 'unpack'] as const) {
    wait(1000)
    progress({ phase, bytes: 10 * GB })
  }
  expect(lines).toEqual(['org/name  verifies m.gguf 50 %', 'org/name  unpacks m.gguf 50 %'])
})

test('trouble is told once, on a line that stays', () => {
  const { lines, progress, wait } = shown()
  for (let count = 0; count < 3; count++) {
    progress({ trouble: 'the hub is busy; next attempt in 4 s' })
    wait(100)
  }
  expect(lines).toEqual(['org/name: the hub is busy; next attempt in 4 s\n'])
})

test('as JSON a change of phase comes at once, numbers once a second', () => {
  const { lines, progress, display, wait } = shown({ isJson: true })
  for (let tenth = 0; tenth < 15; tenth++) {
    progress({ bytes: tenth, rate: undefined })
    wait(100)
  }
  progress({ phase: 'verify', bytes: 5 })
  display.end('org/name')
  const event = { event: 'progress', model: 'org/name', file: 'm.gguf', totalBytes: 20 * GB, trouble: null }
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { event: 'begin', model: 'org/name', totalBytes: 20 * GB },
    { ...event, phase: 'download', bytes: 0, rate: null },
    { ...event, phase: 'download', bytes: 10, rate: null },
    { ...event, phase: 'verify', bytes: 5, rate: 0 },
    { event: 'end', model: 'org/name' },
  ])
})

test.each([
  [0.2, '0:01'],
  [65, '1:05'],
  [3600 * 3 + 130, '3:02:10'],
])('%d seconds are %s', (seconds, text) => expect(timeText(seconds)).toBe(text))
