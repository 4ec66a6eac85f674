import { describe, expect, test } from 'bun:test'
import { parseEmail } from './email-address.ts'

describe('an address', () => {
  test.each([
    ['ada@example.org', 'ada@example.org', 'ada@example.org'],
    ['  Ada.L@Example.ORG ', 'Ada.L@example.org', 'ada.l@example.org'],
    ['ada+news@example.org', 'ada+news@example.org', 'ada@example.org'],
    ['+ada@example.org', '+ada@example.org', '+ada@example.org'],
    ['ada@büro.example', 'ada@xn--bro-hoa.example', 'ada@xn--bro-hoa.example'],
    ['jürgen@example.org', 'jürgen@example.org', 'jürgen@example.org'],
    ['re\u0301mi@example.org', 're\u0301mi@example.org', 'r\u00e9mi@example.org'],
    ['root@intranet', 'root@intranet', 'root@intranet'],
  ])('%p is taken', (text, address, key) => {
    expect(parseEmail(text)).toMatchObject({ address, key })
  })

  test.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@@example.org',
    'ada lovelace@example.org',
    'ada@example.org/x',
    'ada@example.org#f',
    'ada@exa%6dple.org',
    '.ada@example.org',
    'ada.@example.org',
    'a..b@example.org',
    'ada@-example.org',
    'ada@example..org',
    'ada@10.0.0.1',
    'ada@[10.0.0.1]',
    'ada@example.org\r\nbcc: eve@example.org',
    'ada@example.org,eve@example.org',
    '"ada"@example.org',
    'ada\u202e@example.org',
    `${'a'.repeat(65)}@example.org`,
    `ada@${'a.'.repeat(130)}org`,
  ])('%p is none', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})
