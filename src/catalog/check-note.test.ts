import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelManifest } from '../core/model.ts'
import { sees } from '../core/model.ts'
import { type ServerLack, serverLacks } from '../core/upstream.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { CheckNotes, narrowed, writeCheckNote } from './check-note.ts'

const upstream = { flavor: 'vllm', model: 'm', endpoints: ['http://a/v1'], maxConcurrent: 64 } as const
const manifest: ModelManifest = testManifest({
  ...{ id: 'acme/big', type: 'vision', engine: 'upstream', upstream },
  capabilities: { tools: true, reasoning: 'toggle', word_timestamps: true, diarization: true },
})

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-note-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const path = () => join(folder, 'checks', 'acme%2Fbig.json')
const write = (lacks: ServerLack[], of = manifest) => writeCheckNote(folder, of, { checkedAtMs: 5, lacks })

test('a manifest is narrowed by the note of a check, and is the same object as long as nothing changes', () => {
  const notes = new CheckNotes(folder)
  expect(notes.apply(manifest)).toEqual({ manifest, checkedAtMs: undefined })
  write(['tools'])
  const first = notes.apply(manifest)
  expect(first.checkedAtMs).toBe(5)
  expect(first.manifest.capabilities).toMatchObject({ tools: false, reasoning: 'toggle' })
  expect(notes.apply(manifest).manifest).toBe(first.manifest)
  write([])
  expect(notes.apply(manifest)).toEqual({ manifest, checkedAtMs: 5 })
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'checks'))).toEqual(['acme%2Fbig.json'])
})

test('a context that servers do not have is not told of', () => {
  const long = { ...manifest, contextLength: 4096 }
  const contextOf = (contextTokens?: number) => narrowed(long, { lacks: [], contextTokens }).contextLength
  expect([contextOf(), contextOf(4097), contextOf(512)]).toEqual([4096, 4096, 512])
})

test('a note of another revision counts nothing; prices and aliases are not in it', () => {
  const notes = new CheckNotes(folder)
  write(['tools'])
  const priced: ModelManifest = { ...manifest, pricing: { inputNanoUsd: 1, unit: '1M_tokens' }, aliases: [{ id: 'a' }] }
  expect(notes.apply(priced).manifest.capabilities.tools).toBe(false)
  const moved = { ...manifest, upstream: { ...upstream, endpoints: ['http://b/v1'] } }
  expect(notes.apply(moved).manifest).toBe(moved)
  const promising = { ...manifest, capabilities: { ...manifest.capabilities, reasoning: 'effort' } }
  expect(notes.apply(promising).manifest).toBe(promising)
  expect(notes.apply(manifest).manifest.capabilities.tools).toBe(false)
})

test.each<[string]>([[''], ['{'], ['null'], ['{"revision":"x","checkedAtMs":1,"lacks":["money"]}'], ['[1]']])(
  'a note that says %j says nothing',
  (text) => {
    write(['tools'])
    writeFileSync(path(), text)
    expect(new CheckNotes(folder).apply(manifest).manifest).toBe(manifest)
  },
)

test('what is in the place of a note and is none is not waited for', () => {
  write(['tools'])
  rmSync(path())
  Bun.spawnSync(['mkfifo', path()])
  expect(new CheckNotes(folder).apply(manifest).manifest).toBe(manifest)
  rmSync(path())
  write(['tools'])
  expect(new CheckNotes(folder).apply(manifest).manifest).not.toBe(manifest)
})

test('whatever is lacking, nothing is added to what the manifest promises', () => {
  const promises = (of: ModelManifest) => [sees(of), ...Object.values(of.capabilities).map((has) => has === true)]
  for (const capabilities of [{}, manifest.capabilities, { reasoning: 'none', tools: false }]) {
    for (const lack of serverLacks) {
      const written = { ...manifest, capabilities }
      const less = narrowed(written, { lacks: [lack] })
      expect(promises(less).filter(Boolean).length).toBeLessThanOrEqual(promises(written).filter(Boolean).length)
      if (capabilities.reasoning === 'none') expect(less.capabilities.reasoning).toBe('none')
    }
  }
  expect(sees(narrowed(manifest, { lacks: ['pictures'] }))).toBe(false)
  expect(narrowed(manifest, { lacks: ['thinking', 'thinking-switch'] }).capabilities.reasoning).toBe('none')
})

test('models that no other server serves have no notes', () => {
  const own = testManifest({ id: 'acme/big' })
  write(['tools'])
  expect(new CheckNotes(folder).apply(own)).toEqual({ manifest: own, checkedAtMs: undefined })
})
