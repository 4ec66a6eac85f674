import { expect, test } from 'bun:test'
import { describeExit, keepLine, keptOf, type LastLine, lastLineOf } from './exit-reason.ts'

function reasonAfter(...lines: readonly string[]): string {
  const lastLine = lines.reduce<LastLine | undefined>((before, line) => lastLineOf(before, line, 0), undefined)
  return describeExit(lastLine === undefined ? {} : { lastLine }, 'signal SIGKILL', 0)
}

test.each([
  'warmup: *****************************************************************',
  'warmup: WARNING: flash attention not supported by CUDA0, memory usage will increase',
  'WARNING: something is slow',
  'load: ',
  '---',
  '=========================',
])('a line without a reason is none: %s', (line) => {
  expect(reasonAfter(line)).toBe('signal SIGKILL')
  expect(reasonAfter('CUDA error: out of memory', line)).toBe('signal SIGKILL: CUDA error: out of memory')
})

test('the last line that says something is the reason, and after the report of a crash a panic alone', () => {
  expect(reasonAfter('first', 'ggml-cuda.cu:108: CUDA error')).toBe('signal SIGKILL: ggml-cuda.cu:108: CUDA error')
  const report = ['='.repeat(30), 'Bun v1.4.5', 'panic(main thread): abort']
  expect(reasonAfter('why', ...report.slice(0, 2))).toBe('signal SIGKILL: why')
  expect(reasonAfter('why', ...report)).toBe('signal SIGKILL: panic(main thread): abort')
})

test('of the report of a crash the panic of the main thread alone is kept', () => {
  for (const [words, kept] of [
    ['panic(main thread): abort() called', ['why', 'panic(main thread): abort() called']],
    ['panic: abort() called', ['why']],
  ] as const) {
    const lines: string[] = []
    const report = ['='.repeat(60), 'Bun v1.4.5', '', words, 'oh no', '', ' https://bun.report/1.4.5/la1']
    for (const line of ['why', ...report]) keepLine(lines, line)
    expect(keptOf(lines)).toEqual(kept)
  }
})
