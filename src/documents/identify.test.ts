import { expect, test } from 'bun:test'
import { toDocx, toZip } from '../testing/office-files.ts'
import { paint, toPng } from '../testing/pictures.ts'
import { identify } from './identify.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test.each<[string, Uint8Array, string, object]>([
  ['a PDF', latin1('%PDF-1.4\n'), '', { kind: 'file' }],
  ['a PDF with another type', latin1('\n\n%PDF-1.4\n'), 'text/plain', { kind: 'file' }],
  ['a docx', toDocx(''), '', { kind: 'file' }],
  ['another ZIP', toZip({ a: 'b' }), 'application/zip', { kind: 'other', what: 'a ZIP file' }],
  ['a picture', toPng(paint(1, 1, () => [0, 0, 0])), '', { kind: 'other', what: 'a picture in place of a document' }],
  ['RTF', latin1('{\\rtf1 a}'), 'text/rtf', { kind: 'other', what: 'a file of the format RTF' }],
  ['an old document', latin1('\xd0\xcf\x11\xe0\xa1'), '', { kind: 'other', what: 'a file of an old Office format' }],
  ['UTF-8', Buffer.from('ü\r\n'), '', { kind: 'text', text: 'ü\n' }],
  ['UTF-8 with its mark', Buffer.from('\ufeffa'), '', { kind: 'text', text: 'a' }],
  ['UTF-16', Buffer.from('\ufeffü', 'utf16le'), '', { kind: 'text', text: 'ü' }],
  ['UTF-16 the other way', Buffer.from('\ufeffü', 'utf16le').swap16(), '', { kind: 'text', text: 'ü' }],
  ['Western text', latin1('h\xe9'), 'text/csv', { kind: 'text', text: 'hé' }],
  ['the same without a type', latin1('h\xe9'), '', { kind: 'other', what: 'a document of an unknown type' }],
  ['binary text', latin1('a\0b'), 'text/plain', { kind: 'other', what: "a document of type 'text/plain'" }],
])('%s', (_, file, type, expected) => {
  expect<object>(identify(file, type)).toEqual(expected)
})
