/** Files in messages, and the body of a request. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathsIn, readAttachment } from './attachments.ts'
import { Conversation } from './conversation.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-files-'))
  writeFileSync(join(folder, 'my cat.png'), 'picture')
  writeFileSync(join(folder, 'notes.md'), 'remember\n')
  writeFileSync(join(folder, 'report.PDF'), '%PDF-1.7')
  writeFileSync(join(folder, 'program'), Buffer.from([1, 0, 2]))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a message names files in quotes, with escaped blanks or plainly; others are only text', () => {
  const cat = join(folder, 'my cat.png')
  const escaped = cat.replace(' ', '\\ ')
  const notes = join(folder, 'notes.md')
  const text = `see "${cat}" and '${cat}' and ${escaped} and ${notes}, /no/such.png and/or ${folder}`
  expect(pathsIn(text)).toEqual([cat, cat, cat])
  expect(pathsIn(`${notes} please`)).toEqual([notes])
  expect(pathsIn(`${notes}/below /${'long'.repeat(2_000)} /a\0b`)).toEqual([])
})

test('a picture becomes an address of data, a document a file, a text its words, anything else an error', () => {
  expect(readAttachment(join(folder, 'my cat.png'))).toEqual({
    name: 'my cat.png',
    part: { type: 'image_url', image_url: { url: `data:image/png;base64,${btoa('picture')}` } },
  })
  expect(readAttachment(join(folder, 'report.PDF')).part).toEqual({
    type: 'file',
    file: { filename: 'report.PDF', file_data: `data:application/pdf;base64,${btoa('%PDF-1.7')}` },
  })
  expect(readAttachment(join(folder, 'notes.md')).part).toEqual({
    type: 'text',
    text: 'notes.md:\n```\nremember\n```\n',
  })
  expect(() => readAttachment(join(folder, 'program'))).toThrow('is neither text, a picture nor a document (.png, ')
  expect(() => readAttachment(join(folder, 'none.txt'))).toThrow('cannot be read')
  expect(() => readAttachment(folder)).toThrow('it is a folder')
  expect(() => readAttachment('/dev/zero')).toThrow('it is neither a file nor a pipe')
})

test.each([
  ['notes.txt', 1_000_000, '1 MB'],
  ['cat.png', 50_000_000, '50 MB'],
  ['report.pdf', 50_000_000, '50 MB'],
])('%s can have %d bytes and not one more', (name, limitBytes, limit) => {
  const path = join(folder, name)
  writeFileSync(path, '')
  truncateSync(path, limitBytes + 1)
  expect(() => readAttachment(path)).toThrow(`${limit} are the limit`)
  writeFileSync(path, Buffer.alloc(limitBytes, 'a'))
  expect(readAttachment(path).name).toBe(name)
})

test('a conversation keeps answers, and opens its last message again, answered or not', () => {
  const talk = new Conversation({ model: 'm', system: 'be brief', settings: { temperature: 0 } })
  const system = { role: 'system', content: 'be brief' }
  const one = { role: 'user', content: 'one' }
  const answered = [system, one, { role: 'assistant', content: '1' }]
  expect(talk.reopen()).toBe(false)
  talk.ask('one')
  talk.answer('1')
  expect(talk.body()).toEqual({ model: 'm', temperature: 0, messages: answered })
  talk.ask('two', [{ name: 'a.txt', part: { type: 'text', text: 'a' } }])
  talk.answer('')
  expect(talk.body()).toMatchObject({ messages: answered })
  expect(talk.reopen()).toBe(true)
  const two = {
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'two' },
    ],
  }
  expect(talk.body()).toMatchObject({ messages: [...answered, two] })
  talk.answer('2')
  expect(talk.reopen()).toBe(true)
  expect(talk.body()).toMatchObject({ messages: [...answered, two] })
  talk.answer('')
  expect(talk.body()).toMatchObject({ messages: [...answered, two, { role: 'assistant', content: '2' }] })
  talk.clear()
  expect(talk.reopen()).toBe(false)
  expect(talk.body()).toMatchObject({ messages: [system] })
})
