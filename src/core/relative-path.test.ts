import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { relativePathProblem } from './relative-path.ts'

test.each(['model.gguf', 'onnx/model.onnx', 'a b/ü.txt', '..a/b..', 'espeak-ng-data/lang/gmw/en', 'x'.repeat(255)])(
  '%p is a path below a folder',
  (path) => expect(relativePathProblem(path)).toBeUndefined(),
)

test.each([
  '',
  '/etc/passwd',
  '../x',
  'a/../b',
  'a/./b',
  'a//b',
  'a/',
  'a\\..\\b',
  'a\0b',
  'a\nb',
  '\u009b2J',
  '\ud800',
  'x'.repeat(256),
  'ü'.repeat(128),
  `${'a/'.repeat(16)}b`,
])('%p is none', (path) => expect(relativePathProblem(path)).toBeDefined())

test('what is accepted never leads out of the folder', () => {
  const part = fc.constantFrom('..', '.', '', 'a', '...', '\\', '\0', '/')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = parts.join('/')
      if (relativePathProblem(path) !== undefined) return
      expect(relative('/models/x', join('/models/x', path))).toBe(path)
    }),
  )
})
