import { expect, test } from 'bun:test'
import { engineKinds, engineProblem, engineTable } from './engine-table.ts'

test.each([...engineKinds])('%s loads, and can run here', async (kind) => {
  expect(engineProblem(kind)).toBeUndefined()
  const { runs } = engineTable[kind]
  if (runs !== 'in-server') expect(await runs.inChild()).toBeFunction()
})

test('an engine whose native library is missing cannot run, and says which', () => {
  expect(engineProblem('llama', (path) => !path.endsWith('.node'))).toBe(
    'engine "llama" cannot run here: this program lacks build/native/inferd-llama.cpu.node: run \'bun run native\'',
  )
  expect(engineProblem('llama', (path) => !path.endsWith('llama-addon.node'))).toContain('llama-addon.node')
})
