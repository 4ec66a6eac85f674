import { expect, test } from 'bun:test'
import { type Content, contentText, joinContents, textContent } from './content.ts'

const picture: Content = [
  { type: 'sent-image', url: 'data:image/png;base64,aGk=', detail: 'auto', param: 'messages[0].content[1]' },
]

test('no text is no part, and the text of a content leaves out its pictures', () => {
  expect(textContent('')).toEqual([])
  expect(textContent('hi')).toEqual([{ type: 'text', text: 'hi' }])
  expect(contentText([...textContent('one '), ...picture, ...textContent('two')])).toBe('one two')
})

test('texts that meet are joined to one part', () => {
  expect(joinContents(textContent('a'), textContent('b'), '\n')).toEqual(textContent('a\nb'))
  expect(joinContents(textContent('a'), textContent('b'), '')).toEqual(textContent('ab'))
  expect(joinContents([], textContent('b'), '\n')).toEqual(textContent('b'))
  expect(joinContents(textContent('a'), [], '\n')).toEqual(textContent('a'))
})

test('pictures stay where they stand', () => {
  expect(joinContents(textContent('a'), picture, '\n')).toEqual([...textContent('a\n'), ...picture])
  expect(joinContents(picture, [...textContent('a'), ...picture], '')).toEqual([
    ...picture,
    ...textContent('a'),
    ...picture,
  ])
})
