import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { fileNameProblem } from './file-name.ts'

test('what is accepted never leads out of the folder, nor is it another path than it says', () => {
  const part = fc.constantFrom('..', '.', '', 'a', '...', '\\', '\0', '/', 'ü', ' ')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const name = parts.join('/')
      if (fileNameProblem(name) !== undefined) return
      expect(relative('/models/x', join('/models/x', name))).toBe(name)
    }),
  )
})
