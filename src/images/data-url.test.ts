import { expect, test } from 'bun:test'
import { decodeDataUrl, isDataUrl } from './data-url.ts'

/** Bytes whose base64 has both characters that the alphabet for URLs replaces. */
const expected = [0xfb, 0xff, 0xbf, 0xfc]

test.each([
  'data:image/png;base64,+/+//A==',
  'DATA:IMAGE/PNG;BASE64,+/+//A==',
  ' data:image/png;base64,+/+//A==',
  'data:;base64,+/+//A==',
  'data:image/png;charset=utf-8;base64,+/+//A==',
  'data:image/png;name="a;b" ; base64 ,+/+//A==',
  'data:text/html;base64,+/+//A==',
  'data:image/png;base64,+/+//A',
  'data:image/png;base64,+/+//A=',
  'data:image/png;base64,-_-__A==',
  'data:image/png;base64,-_+//A',
  'data:image/png;base64, +/+/\r\n/A==\n',
  'data:image/png;base64,%2B/%2B/%2fA%3D%3D',
  'data:image/png;base64,%2B%2F+/%0A/A',
])('%j', (url) => {
  expect(isDataUrl(url)).toBe(true)
  expect([...decodeDataUrl(url)]).toEqual(expected)
})

const damaged = 'its base64 is damaged'

test.each([
  ['data:image/png;base64', 'its data: URL has no comma before its bytes'],
  [`data:${'a'.repeat(300)};base64,AAAA`, 'its data: URL has no comma before its bytes'],
  ['data:image/png,AAAA', 'its data: URL is not base64'],
  ['data:image/svg+xml;utf8,<svg/>', 'its data: URL is not base64'],
  ['data:image/png;base64,A', damaged],
  ['data:image/png;base64,AAAAA', damaged],
  ['data:image/png;base64,AA=A', damaged],
  ['data:image/png;base64,AAAA====', damaged],
  ['data:image/png;base64,AA*A', damaged],
  ['data:image/png;base64,AAAAAAAA"', damaged],
  ['data:image/png;base64,ÄÄÄÄ', damaged],
  ['data:image/png;base64,data:image/png;base64,AAAA', damaged],
  ['data:image/png;base64,%zzAA', 'its data: URL has a damaged escape'],
])('%j is refused', (url, problem) => {
  expect(() => decodeDataUrl(url)).toThrow(problem)
})

test('an empty picture is decoded as one', () => {
  expect(decodeDataUrl('data:image/png;base64,')).toHaveLength(0)
})

test.each(['https://a.example/b.png', 'iVBORw0KGgo=', 'file:///etc/passwd', ''])('%j is no data: URL', (url) => {
  expect(isDataUrl(url)).toBe(false)
})
