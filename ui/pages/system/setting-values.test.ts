import { expect, test } from 'bun:test'
import { changesOf, type Setting, togetherWith } from './setting-values.ts'

const setting = (name: string, next: Setting['next'], isSecret = false) => ({ name, next, isSecret }) as Setting
const typed = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name] ?? ''

const host = setting('smtp-host', 'mail.lan')
const password = setting('smtp-password', '(set)', true)
const hosts = setting('allowed-hosts', ['box.lan', 'box'])

test('a form changes what was typed; an emptied field means the default, and an empty secret no change', () => {
  const rows = [host, password, hosts]
  const same = { 'smtp-host': 'mail.lan', 'allowed-hosts': 'box.lan, box' }
  expect(changesOf(rows, typed(same))).toEqual({ values: {}, names: [] })
  expect(changesOf(rows, typed({ ...same, 'smtp-host': '', 'smtp-password': 'new' }))).toEqual({
    values: { 'smtp-password': 'new' },
    names: ['smtp-host'],
  })
})

test('settings of mail are changed together, others alone', () => {
  expect(togetherWith(host, [hosts, host, password])).toEqual([host, password])
  expect(togetherWith(hosts, [hosts, host, password])).toEqual([hosts])
})
