import { expect, test } from 'bun:test'
import { type SentImagePart, textContent } from '../../core/content.ts'
import { joinTexts, toContent } from './content-pieces.ts'

const picture: SentImagePart = { type: 'sent-image', url: 'data:,', detail: 'auto', param: 'input' }

test.each([[['a']], [['a', 'b']], [['', 'a', '']], [['', '']], [[]]])(
  'texts %j alone are joined as they are',
  (texts) => {
    expect(joinTexts(texts, '\n')).toEqual([texts.join('\n')])
    expect(toContent(texts, '\n')).toEqual(textContent(texts.join('\n')))
  },
)

test('nothing is put around a picture', () => {
  const pieces = ['a', 'b', picture, picture, 'c', picture, 'd', 'e']
  const [ab, de] = ['a\nb', 'd\ne']
  expect(joinTexts(pieces, '\n')).toEqual([ab, picture, picture, 'c', picture, de])
  const text = (words: string) => ({ type: 'text', text: words }) as const
  expect(toContent(pieces, '\n')).toEqual([text(ab), picture, picture, text('c'), picture, text(de)])
})

test('a picture alone is all of a content', () => {
  expect(toContent([picture], '\n')).toEqual([picture])
  expect(toContent(['', picture, ''], '\n')).toEqual([picture])
})
