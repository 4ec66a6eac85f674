import { describe, expect, test } from 'bun:test'
import { parseEmail, parseNewEmail } from './email-address.ts'

describe('an address', () => {
  test.each([
    ['ada@example.org', 'ada@example.org', 'ada@example.org'],
    ['  Ada.L@Example.ORG ', 'Ada.L@example.org', 'ada.l@example.org'],
    ['ada+news@example.org', 'ada+news@example.org', 'ada@example.org'],
    ['+ada@example.org', '+ada@example.org', '+ada@example.org'],
    ['ada@büro.example', 'ada@xn--bro-hoa.example', 'ada@xn--bro-hoa.example'],
    ['jürgen@example.org', 'jürgen@example.org', 'jürgen@example.org'],
    ['re\u0301mi@example.org', 're\u0301mi@example.org', 'r\u00e9mi@example.org'],
    ['ada\uff0bnews@example.org', 'ada\uff0bnews@example.org', 'ada@example.org'],
    ['\uff21\uff24\uff21@example.org', '\uff21\uff24\uff21@example.org', 'ada@example.org'],
    ['ada@example.org.', 'ada@example.org', 'ada@example.org'],
    ['ada@EXAMPLE\u3002org\uff0e', 'ada@example.org', 'ada@example.org'],
    ['ada@B\u00dcRO.example', 'ada@xn--bro-hoa.example', 'ada@xn--bro-hoa.example'],
    ['ada@XN--BRO-HOA.example', 'ada@xn--bro-hoa.example', 'ada@xn--bro-hoa.example'],
    ['\u0130@example.org', '\u0130@example.org', 'i\u0307@example.org'],
  ])('%p is taken', (text, address, key) => {
    expect(parseNewEmail(text)).toMatchObject({ address, key })
    expect(parseEmail(text)).toMatchObject({ address, key })
  })

  test('has a compared form that is its own compared form', () => {
    for (const text of ['\u0130+x@example.org', '\u212b@example.org', '\ufb03ce@example.org', '\u03a3@example.org']) {
      const key = parseNewEmail(text)?.key
      expect(parseNewEmail(key ?? '')?.key).toBe(key)
    }
  })

  test.each([
    ['a domain of one label', 'root@intranet'],
    ['a domain of one label and a dot', 'root@intranet.'],
    ['a zero-width character', 'ada\u034f@example.org'],
    ['a letter filler', 'ada\u3164@example.org'],
    ['a dot at its end once compared', 'ada\uff0e@example.org'],
    ['another @ once compared', 'ada\uff20example.com@example.org'],
    ['an ellipsis, which is three dots', 'a\u2026b@example.org'],
  ])('with %s is for no new account, but found where there is one', (_, text) => {
    expect(parseNewEmail(text)).toBeUndefined()
    expect(parseEmail(text)).toBeDefined()
  })

  test.each([
    '',
    'ada',
    'ada\ud800@example.org',
    '\udc00ada@example.org',
    'ada@exa\ud800mple.org',
    'ada@example.org..',
    'ada@.',
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
