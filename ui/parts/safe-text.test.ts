import { expect, test } from 'bun:test'
import { h, options } from 'preact'
import { drawSafely, safeText } from './safe-text.ts'

test('marks that reorder text are shown as escapes, and so is text that would look empty', () => {
  expect(safeText('invoice\u202egpj.exe')).toBe('invoice\\u202egpj.exe')
  expect(safeText('a\u2066b\u2069')).toBe('a\\u2066b\\u2069')
  expect(safeText('\u200b \u3164')).toBe('\\u200b \\u3164')
  expect(safeText('\u2800')).toBe('\\u2800')
  for (const text of ['', ' ', '\n', 'plain', 'ümläut 漢字 👩‍💻 ❤️', 'می‌خواهم', 'ภาษา\u200bไทย', 'سلام', '–', '\ue001'])
    expect(safeText(text)).toBe(text)
})

test('all text that is drawn is made so', () => {
  const before = options.vnode
  try {
    drawSafely()
    const name = 'a\u202eb'
    expect(h('b', null, name).props.children).toBe('a\\u202eb')
    expect(h('b', { title: name }, 'x ', name, h('i', null))).toMatchObject({
      props: { title: 'a\\u202eb', children: ['x ', 'a\\u202eb', {}] },
    })
    expect(h('input', { value: name }).props.value).toBe(name)
  } finally {
    options.vnode = before as never
  }
})
