/** Office files are read as text: bounded whatever they claim. */
import { expect, test } from 'bun:test'
import { toDocx, toPptx, toXlsx, toZip } from '../../testing/office-files.ts'
import { readOffice } from './read-office.ts'

const pagesOf = (file: Uint8Array) => [...readOffice(file)]
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (...runs: string[]) =>
  `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="9"/></w:tabs></w:pPr>${runs.join('')}</w:p>`

test('a text document is one page, a line per paragraph', () => {
  const body =
    paragraph(run('One &amp; '), run('two &#8364;'), '<w:r><w:tab/></w:r>', run('three')) + paragraph(run('four'))
  expect(pagesOf(toDocx(body))).toEqual([{ text: 'One & two €\tthree\nfour' }])
})

test('a table has a line per row, and tabs between cells', () => {
  const cell = (...texts: string[]) => `<w:tc>${texts.map((text) => paragraph(run(text))).join('')}</w:tc>`
  const body = `<w:tbl><w:tr>${cell('a', 'b')}${cell('c')}</w:tr><w:tr>${cell('d')}${cell('e')}</w:tr></w:tbl>`
  expect(pagesOf(toDocx(body))).toEqual([{ text: 'a b\tc\nd\te' }])
})

test('the fallback of a drawing is not repeated, and deleted words are left out', () => {
  const drawing = `<mc:AlternateContent><mc:Choice>${run('box')}</mc:Choice><mc:Fallback>${run('box')}</mc:Fallback></mc:AlternateContent>`
  const body = paragraph(drawing, '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>')
  expect(pagesOf(toDocx(body))).toEqual([{ text: 'box' }])
})

test('sheets are CSV: texts, numbers, dates, truth, in their columns', () => {
  const rows = [
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>b, "c"</t></is></c></row>',
    '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>45000.5</v></c><c r="C2" t="b"><v>1</v></c></row>',
    '<row r="3"><c r="A3" s="1"><v>45000</v></c><c r="B3"><f>1+1</f><v>2</v></c><c r="C3"/></row>',
  ]
  expect(pagesOf(toXlsx({ 'A &amp; B': rows.join(''), Empty: '' }, ['x']))).toEqual([
    { label: 'sheet A & B', text: 'x,,"b, ""c"""\n1.5,2023-03-15 12:00:00,TRUE\n2023-03-15,2' },
    { label: 'sheet Empty', text: '' },
  ])
})

test('a formula without a stored result is shown itself', () => {
  const formulas = ['<f>SUM(B2:B3)</f><v></v>', '<f>A1&amp;"x"</f>', '<f>1+1</f><v>2</v>', '<f t="shared" si="0"/>']
  const cells = formulas.map((formula) => `<c>${formula}</c>`).join('')
  const [sheet] = pagesOf(toXlsx({ A: `<row>${cells}<c t="str"><f>""</f><v></v></c></row>` }))
  expect(sheet?.text).toBe('=SUM(B2:B3),"=A1&""x""",2')
})

test('after a thousand rows the text says how many follow', () => {
  const rows = Array.from({ length: 1003 }, (_, index) => `<row><c r="A${index + 1}"><v>${index}</v></c></row>`)
  const [sheet] = pagesOf(toXlsx({ Long: rows.join('') }))
  expect(sheet?.text.split('\n').slice(-2)).toEqual(['999', '[3 further rows are left out]'])
})

test('slides come in the order of their numbers', () => {
  const slides = Array.from({ length: 11 }, (_, index) => `<a:p><a:r><a:t>s${index + 1}</a:t></a:r></a:p>`)
  expect(
    pagesOf(toPptx(slides))
      .map(({ label, text }) => `${label}: ${text}`)
      .slice(8),
  ).toEqual(['slide 9: s9', 'slide 10: s10', 'slide 11: s11'])
})

test('a long name of a sheet is cut', () => {
  const [sheet] = pagesOf(toXlsx({ ['n'.repeat(1e6)]: '' }))
  expect(sheet?.label).toBe(`sheet ${'n'.repeat(100)}`)
})

test('a long run of spaces takes no long time', () => {
  expect(pagesOf(toDocx(paragraph(run(`a${' '.repeat(3e6)}b`))))).toEqual([{ text: `a${' '.repeat(3e6)}b` }])
})

const many = '<c r="A1" t="s"><v>0</v></c>'.repeat(5)

test.each([
  ['in paragraphs', toDocx('<w:t>aaaaaaaaaa</w:t>'.repeat(4e5 + 1))],
  ['in marks', toDocx('<w:br/>'.repeat(4e6 + 1))],
  ['in one cell', toXlsx({ A: `<row><c>${'<v>aaaaaaaaaa</v>'.repeat(4e5 + 1)}</c></row>` })],
  ['in cells that share one', toXlsx({ A: `<row>${many}</row>` }, ['x'.repeat(1e6)])],
])('too much text %s is refused before it is put together', (_, file) => {
  expect(() => pagesOf(file)).toThrow('too much text')
})

const xml = (body: string) => toZip({ 'word/document.xml': body })

test.each([
  ['no ZIP', Buffer.from('PK\x03\x04 word/document.xml')],
  ['a cut ZIP', toDocx(paragraph(run('a'))).slice(0, -30)],
  ['a ZIP of something else', toZip({ 'a.txt': 'a' })],
  ['a bomb', xml(' '.repeat(129 * 1024 * 1024))],
  ['ten thousand files', toZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`a${index}`, ''])))],
  ['101 slides', toPptx(Array.from({ length: 101 }, () => ''))],
])('%s is refused', (_, file) => {
  expect(() => pagesOf(file)).toThrow(/^its ZIP|^it /)
})

test.each([
  ['nothing', ''],
  ['no XML', '<<<&&&>>>'],
  ['open tags', '<w:t>'.repeat(1e5)],
  ['closed tags', '</w:tc></w:p>'.repeat(1e5)],
  ['names of every object', '<constructor/><toString/></valueOf>'],
  ['entities of its own', '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:t>&b;</w:t>'],
  ['a code that is no character', '<w:t>&#x110000;&#0;&#xd800;</w:t>'],
  ['an endless comment', `<!--${'<'.repeat(1e5)}`],
])('%s ends', (_, body) => {
  expect(pagesOf(xml(body))).toHaveLength(1)
})
