import { expect, test } from 'bun:test'
import { engineKinds, engineProblem, engineTable } from './engine-table.ts'

test.each(engineKinds.filter((kind) => engineTable[kind].load !== undefined))(
  '%s loads, and can run here',
  async (kind) => {
    expect(engineProblem(kind)).toBeUndefined()
    expect(await engineTable[kind].load?.()).toBeFunction()
  },
)

test('an engine that this version does not have cannot run', () => {
  expect(engineProblem('upstream')).toBe('this version has no engine "upstream"')
})

test('an engine whose native library is missing cannot run, and says which', () => {
  expect(engineProblem('llama', (path) => !path.endsWith('.node'))).toBe(
    'engine "llama" cannot run here: this program lacks build/native/inferd-llama.cpu.node',
  )
})
