import { expect, test } from 'bun:test'
import { showsTools } from './tool-notes.ts'

const tool = {
  name: 'read_file',
  description: 'Reads a file: "all" of it',
  parameters: { type: 'object', properties: { path: { type: 'string' }, Länge: { type: 'integer' } } },
}

test('a definition in any notation shows a tool, an earlier call does not', () => {
  expect(showsTools(JSON.stringify(tool), [tool])).toBe(true)
  expect(showsTools('<fn>read_file: Reads a file: \\"all\\" of it (path, L\\u00e4nge)', [tool])).toBe(true)
  expect(showsTools('call read_file {"path": "Länge"}', [tool])).toBe(false)
  expect(showsTools('', [tool])).toBe(false)
})
