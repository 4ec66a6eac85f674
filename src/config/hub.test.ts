import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hubConfig, readCertificates } from './hub.ts'

const home = mkdtempSync(join(tmpdir(), 'inferd-hub-'))
afterAll(() => rmSync(home, { recursive: true }))

test('the hub is where the variables say, and opened with the token that they or the file hold', () => {
  const nowhere = { HF_HOME: join(home, 'none') }
  expect(hubConfig(nowhere)).toEqual({ endpoint: 'https://huggingface.co', token: undefined })
  expect(hubConfig({ ...nowhere, HF_ENDPOINT: 'http://mirror:8080/hub/' }).endpoint).toBe('http://mirror:8080/hub')
  writeFileSync(join(home, 'token'), 'hf_file\n')
  expect(hubConfig({ HF_HOME: home }).token).toBe('hf_file')
  expect(hubConfig({ HF_HOME: home, HF_TOKEN: 'hf_variable' }).token).toBe('hf_variable')
})

test.each(['mirror', 'ftp://mirror', 'https://name:secret@mirror', 'https://mirror?x'])(
  'HF_ENDPOINT cannot be %s',
  (HF_ENDPOINT) => expect(() => hubConfig({ HF_ENDPOINT })).toThrow(/^HF_ENDPOINT must be ((?!secret).)*$/),
)

test('a wrong token is not shown', () => {
  expect(() => hubConfig({ HF_TOKEN: 'hf_secret with space' })).toThrow(/^((?!secret).)*$/)
})

test('certificates are PEM', () => {
  const path = join(home, 'ca.pem')
  writeFileSync(path, 'nothing')
  expect(() => readCertificates('pull-ca', path)).toThrow('holds no certificates')
  expect(() => readCertificates('pull-ca', join(home, 'missing'))).toThrow('pull-ca: ENOENT')
  writeFileSync(path, '-----BEGIN CERTIFICATE-----\n')
  expect(readCertificates('pull-ca', path)).toContain('BEGIN')
})
