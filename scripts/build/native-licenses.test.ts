import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { unpackLlamaSource } from '../native/llama-source.ts'
import { nativeLicenses } from './native-licenses.ts'

const root = join(import.meta.dir, '..', '..')
const nodeModules = join(root, 'node_modules')

test('every work that is compiled in comes with its licence in full', async () => {
  const source = await unpackLlamaSource(join(nodeModules, 'node-llama-cpp'), join(root, 'build'))
  const works = nativeLicenses(nodeModules, source.folder)
  // Words of the grant, and for MIT the name that must be kept.
  const grants =
    /Permission is hereby granted, free of charge|released into the public domain|Public domain|## Linked|Apache License|GNU GENERAL PUBLIC LICENSE|Mozilla Public License|Redistribution and use|Permission to copy, use, modify|FreeType Project LICENSE/
  for (const { title, text } of works) expect({ title, text }).toMatchObject({ text: expect.stringMatching(grants) })
  const all = works.map(({ text }) => text).join('\n')
  for (const holder of [
    'The ggml authors',
    'Niels Lohmann',
    'yhirose',
    'Sean Barrett',
    'David Reid',
    'Igor Pavlov',
    'William Casarin',
    'Mozilla Foundation',
    'Node.js API collaborators',
    'JavaScriptCore',
    'Microsoft Corporation',
    'N-API for Rust',
    'Mark Borgerding',
    'Fabrice Bellard',
    'Google Inc.',
    'Kaciras',
    'The L.A.M.E. project',
    'Maxim Shemanarev',
    'Marti Maria',
  ]) {
    expect(all).toContain(holder)
  }
  // Some licences stand in headers, of which only the licence is taken.
  for (const { text } of works) expect(text).not.toContain('#include')
})
