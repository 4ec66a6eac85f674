import { describe, expect, test } from 'bun:test'
import { type Part, type Row, runParts } from './parts.ts'

const never = new Promise<void>(() => undefined)

function run(parts: readonly Part[], totalSeconds = 60): Promise<Row[]> {
  return runParts(parts, { totalSeconds, onRow: () => undefined })
}

const good: Part = { name: 'good', limitSeconds: 60, run: async (note) => note('tokens/s', '5') }

function lines(rows: readonly Row[]): string[] {
  return rows
    .filter(({ what }) => what !== 'took')
    .map(({ part, what, value, isFailure }) => `${part}: ${what}: ${value}${isFailure ? '!' : ''}`)
}

describe('parts of the kit', () => {
  test('a part that fails is a row, and the rest goes on', async () => {
    const bad: Part = { ...good, name: 'bad', run: () => Promise.reject(new Error('no card\nhere')) }
    expect(lines(await run([bad, good]))).toEqual(['bad: failed: no card / here!', 'good: tokens/s: 5'])
  })

  test('a part over its limit is a row, what it started is ended, and what it says later does not count', async () => {
    let end = () => {}
    const ended: string[] = []
    const slow: Part = {
      name: 'slow',
      limitSeconds: 0.01,
      run: async (note, scope) => {
        const stopped = new Promise<void>((resolve) => {
          end = resolve
        })
        scope.add(() => {
          ended.push('server')
          end()
        })
        note('started', 'yes')
        await stopped
        note('late', 'yes')
      },
    }
    const rows = lines(await run([slow, good]))
    expect(rows).toEqual(['slow: started: yes', 'slow: failed: over its 0 s!', 'good: tokens/s: 5'])
    expect(ended).toEqual(['server'])
  })

  test('what ends badly hinders nothing, and what is started too late is ended at once', async () => {
    const ended: string[] = []
    let late = () => {}
    const part: Part = {
      ...good,
      name: 'two',
      run: async (_, scope) => {
        scope.add(() => ended.push('first'))
        scope.add(() => Promise.reject(new Error('is gone')))
        late = () => scope.add(() => ended.push('late'))
      },
    }
    await run([part])
    late()
    expect(ended).toEqual(['first', 'late'])
  })

  test('without time left, a part is not begun', async () => {
    const slow: Part = { name: 'slow', limitSeconds: 60, run: () => never }
    expect(lines(await run([slow, good], 0.5))).toEqual([
      'slow: not run: 0.5 s were over!',
      'good: not run: 0.5 s were over!',
    ])
  })
})
