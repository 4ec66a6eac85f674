import { expect, test } from 'bun:test'
import { runCommand } from '../testing/run-cli.ts'
import { runCli } from './cli.ts'
import { formatTable } from './format.ts'
import { emphasised, isStyled, layOut } from './layout.ts'

const rows = [
  { id: 'key_1234567890', name: 'a rather long name of a key, longer than the room', state: 'valid' },
  { id: 'key_2', name: '漢字漢字', state: 'revoked' },
]
const table = formatTable(rows, { ID: ({ id }) => id, NAME: ({ name }) => name, STATE: ({ state }) => state })
const shown = (width?: number) => layOut(`before\n${table}after\n`, { width, isStyled: false })
const widest = (text: string) => Math.max(...text.split('\n').map((line) => Bun.stringWidth(line)))

test('a pipe gets whole cells, a terminal lines that fit it, and never a cut id', () => {
  expect(shown()).toBe(
    [
      'before',
      'ID              NAME                                               STATE',
      'key_1234567890  a rather long name of a key, longer than the room  valid',
      'key_2           漢字漢字                                           revoked',
      'after\n',
    ].join('\n'),
  )
  expect(shown(100)).toBe(shown())
  expect(shown(50)).toContain('key_1234567890  a rather long name of a …  valid')
  for (const width of [25, 30, 40, 60]) {
    expect(widest(shown(width))).toBeLessThanOrEqual(width)
    expect(shown(width)).toContain('key_1234567890')
  }
  // Too narrow for columns: each row becomes lines with one cell each, which keep the whole text.
  expect(shown(25).replaceAll(/\n +/g, '')).toContain('a rather long nameof a key, longer than the room')
})

test('a table goes without its spare columns before it becomes records, and says so', () => {
  const columns = {
    ID: ({ id }: (typeof rows)[number]) => id,
    NAME: () => 'n'.repeat(12),
    STATE: () => 'valid',
    MORE: () => 'm'.repeat(12),
  }
  const spared = (width: number) => layOut(formatTable(rows, columns, { spare: 2 }), { width, isStyled: false })
  expect(spared(60)).toMatch(/^ID +NAME +STATE +MORE$/m)
  expect(spared(38)).toMatch(/^ID +NAME +STATE\n.*\n.*\n\nNo room for MORE: /)
  expect(spared(28)).toMatch(/^ID +NAME\n.*\n.*\n\nNo room for STATE, MORE: /)
  expect(spared(22)).toStartWith('ID     key_1234567890\nNAME   nnn')
})

test('help and tables of every command fit the terminal', async () => {
  let out = ''
  const add = (text: string) => {
    out += text
  }
  const io = { out: add, deliver: async () => undefined, error: add, environment: {}, ask: async () => undefined }
  for (const words of [['--help'], ['serve', '--help'], ['help', 'keys', 'create'], ['list', '--data', '/nonexistent']])
    await runCli(words, { ...io, isTerminal: true, width: 80 })
  const plain = Bun.stripANSI(out)
  expect(plain).toMatch(/^MODEL +TYPE +STATUS +SIZE +CONTEXT$/m)
  // An address cannot be broken into two lines.
  const unbroken = /^ {2}inferd |^Settings|^ *https:\S+$/
  const long = plain.split('\n').filter((line) => Bun.stringWidth(line) > 80 && !unbroken.test(line))
  expect(long).toEqual([])
  expect(out).toContain('\u001b[1mUsage:\u001b[0m')
})

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [{ TERM: 'dumb' }, true, false],
])('%j on a terminal (%j) shows emphasis: %j', (environment, isTerminal, expected) => {
  expect(isStyled(environment, isTerminal)).toBe(expected)
  const bold = expected ? '\u001b[1mx\u001b[0m' : 'x'
  expect(layOut(emphasised('x'), { width: undefined, isStyled: isStyled(environment, isTerminal) })).toBe(bold)
})

test('a pipe gets no mark of a layout, whatever names hold', async () => {
  const { out } = await runCommand(['--help'], {})
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what must not be there
  expect(out).not.toMatch(/[\ufdd0-\ufdd3\u001b]/)
  const hostile = formatTable([{ id: 'a\ufdd2b\u001b[2J' }], { ID: ({ id }) => id })
  expect(layOut(hostile, { width: undefined, isStyled: false })).toBe('ID\nab\\u001b[2J\n')
})

test('a line of 300,000 characters is read once', () => {
  const line = `${'x'.repeat(300_000)}\n`
  expect(layOut(line, { width: 80, isStyled: false })).toBe(line)
})
