import { expect, test } from 'bun:test'
import { readTextFile, withFiles } from './text-file.ts'

const file = (content: string | Uint8Array<ArrayBuffer>, name = 'notes.md') => new File([content], name)

test('a text file is read with its name and size', async () => {
  expect(await readTextFile(file('Grüße'))).toMatchObject({ name: 'notes.md', text: 'Grüße', bytes: 7 })
})

test.each([
  ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe, 0x41]), 'notes.md is neither text nor a picture'],
  ['a binary file', new Uint8Array([0x7f, 0x45, 0]), 'notes.md is neither text nor a picture'],
  ['more than 1 MB', 'x'.repeat(1_000_001), 'notes.md has 1.0 MB; a text file may have at most 1.0 MB.'],
])('%s is refused', async (_, content, message) => {
  await expect(readTextFile(file(content as string))).rejects.toThrow(message)
})

test('files stand before the message, each in a fence that its text cannot close', () => {
  const files = [
    { id: 1, name: 'a.py', text: 'print(1)\n', bytes: 9 },
    { id: 2, name: 'LICENSE', text: 'has ```` inside', bytes: 15 },
  ]
  expect(withFiles('What is it?', files)).toBe(
    'a.py:\n```py\nprint(1)\n```\n\nLICENSE:\n`````\nhas ```` inside\n`````\n\nWhat is it?',
  )
  expect(withFiles('', files.slice(0, 1))).toBe('a.py:\n```py\nprint(1)\n```')
})
