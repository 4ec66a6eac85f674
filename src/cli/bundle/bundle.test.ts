/** Bundles as an operator creates, checks and installs them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../core/ids.ts'
import { modelManifestOf } from '../../store/bundle/check-manifest.ts'
import { createBundle } from '../../store/bundle/create-bundle.ts'
import { lockInstalls } from '../../store/bundle/installed-bundles.ts'
import { hashFile } from '../../store/hash-file.ts'
import { isEncrypted } from '../../store/minisign/secret-key.ts'
import { flipByte, importTiny } from '../../testing/bundle-box.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { runCommand } from '../../testing/run-cli.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-bundle-'))
  mkdirSync(inFolder('first'), { mode: 0o700 })
  for (const name of ['stick', 'next', 'empty']) mkdirSync(inFolder(name))
})
afterEach(() => rmSync(folder, { recursive: true }))

const inFolder = (name: string) => join(folder, name)

function run(words: string, answers: string[] = []) {
  const expanded = words.split(' ').map((word) => word.replace('@', `${folder}/`))
  return runCommand(expanded, { INFERD_DATA: inFolder('first') }, answers)
}

async function done(words: string, answers: string[] = []): Promise<string> {
  const { code, out, error } = await run(words, answers)
  if (code !== 0) throw new Error(`${words}: ${error}`)
  return out
}

async function addModel(name: string, manifest = ''): Promise<void> {
  writeFileSync(inFolder(`${name}.gguf`), Buffer.concat([tinyGguf(), Buffer.from(name)]))
  await importTiny(inFolder(`${name}.gguf`), `org/${name}`, inFolder('first'))
  const path = inFolder(`first/models.d/org%2F${name}.toml`)
  writeFileSync(path, manifest + readFileSync(path, 'utf8'))
}

async function makeKey(name = 'key'): Promise<string> {
  return JSON.parse(await done(`bundle keygen @${name} --no-password --json`)).publicKey
}

test('a bundle is made, checked and installed; the first time its key is named and must be trusted', async () => {
  await addModel('one')
  const key = await makeKey()
  expect(statSync(inFolder('key')).mode & 0o777).toBe(0o600)
  const created = await done('bundle create org/one --to @stick --key @key')
  expect(created).toContain(`Signed by ${key}`)

  const unknown = await run('bundle verify @stick')
  expect(unknown).toMatchObject({ code: 1, error: expect.stringContaining(`repeat with --public-key ${key}`) })
  expect(await done(`bundle verify @stick --public-key ${key}`)).toContain('all files are there and right')

  const refused = await run('bundle install @stick --data @second')
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(`repeat with --trust-key ${key}`) })
  expect(statSync(inFolder('second'), { throwIfNoEntry: false })).toBeUndefined()
  const installed = await done(`bundle install @stick --data @second --trust-key ${key}`)
  expect(installed).toContain('Installed  org/one')
  const listed = JSON.parse(await done('list --json --data @second'))
  expect(listed).toContainEqual(expect.objectContaining({ id: 'org/one', status: 'ready' }))

  writeFileSync(inFolder('second/config.toml'), `bundle_keys = ["${key}"]\n`)
  expect(await done('bundle install @stick --data @second')).toContain('Was here   org/one')
})

test('a damaged part is named with exit code 1, a missing one with 3', async () => {
  await addModel('one')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  const { blobs } = JSON.parse(readFileSync(inFolder('stick/inferd-bundle/manifest.json'), 'utf8'))
  const [{ sha256 }] = blobs
  const path = `blobs/${sha256.slice(0, 2)}/${sha256}.000`
  flipByte(inFolder(`stick/inferd-bundle/${path}`), 77)
  const verify = `bundle verify @stick --public-key ${key}`
  expect(await run(verify)).toMatchObject({ code: 1, out: expect.stringContaining(`BAD      ${path} is damaged`) })
  const install = `bundle install @stick --data @second --trust-key ${key}`
  expect(await run(install)).toMatchObject({ code: 1, error: expect.stringContaining(`${path} is damaged`) })
  rmSync(inFolder(`stick/inferd-bundle/${path}`))
  expect(await run(verify)).toMatchObject({ code: 3, out: expect.stringContaining(`MISSING  ${path}`) })
  expect(await run(install)).toMatchObject({ code: 3, out: expect.stringContaining(`Missing    ${path}`) })
  expect(JSON.parse(await done('list --json --data @second'))).not.toContainEqual(
    expect.objectContaining({ id: 'org/one' }),
  )
})

test('a secret key is encrypted by the password that is typed', async () => {
  expect(await run('bundle keygen @key')).toMatchObject({ code: 1, error: expect.stringContaining('--no-password') })
  expect(await run('bundle keygen @key', ['a', 'b'])).toMatchObject({ code: 1 })
  await done('bundle keygen @key', ['secret', 'secret'])
  expect(isEncrypted(readFileSync(inFolder('key'), 'utf8'))).toBe(true)
  expect(await run('bundle keygen @key', ['secret', 'secret'])).toMatchObject({
    code: 1,
    error: expect.stringContaining('is there already'),
  })
}, 60_000)

test('an encrypted secret key signs with its password', async () => {
  await addModel('one')
  const key = join(import.meta.dir, '../../store/minisign/fixtures/small.key')
  const create = `bundle create org/one --to @stick --key ${key}`
  expect(await run(create, ['wrong'])).toMatchObject({ code: 1, error: expect.stringContaining('another password') })
  expect(await run(create)).toMatchObject({ code: 1, error: expect.stringContaining('needs its password') })
  await done(create, ['correct horse'])
})

test('an unencrypted key that others can read does not sign', async () => {
  await addModel('one')
  await makeKey()
  Bun.spawnSync(['chmod', '644', inFolder('key')])
  expect(await run('bundle create org/one --to @stick --key @key')).toMatchObject({
    code: 1,
    error: expect.stringContaining('chmod 600'),
  })
})

test('an unsigned bundle is installed by the sum of its manifest alone', async () => {
  await addModel('one')
  const { manifestSha256 } = JSON.parse(await done('bundle create org/one --to @stick --json'))
  const refused = await run('bundle install @stick --data @second')
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('--unsigned MANIFEST_SHA256') })
  expect(await run('bundle install @stick --data @second --unsigned abc')).toMatchObject({ code: 2 })
  expect(await done(`bundle install @stick --data @second --unsigned ${manifestSha256}`)).toContain(
    'Installed  org/one',
  )
})

test('an older bundle of the same key is installed on request alone', async () => {
  await addModel('one')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  const install = `bundle install @stick --data @second --trust-key ${key}`
  await done(install)
  const noted = inFolder('second/bundles.json')
  writeFileSync(noted, JSON.stringify({ serials: { [key]: 99_990_101_000_000 } }))
  expect(await run(install)).toMatchObject({ code: 1, error: expect.stringContaining('--allow-older') })
  await done(`${install} --allow-older`)
  expect(await run(install)).toMatchObject({ code: 1 })
  writeFileSync(noted, '{')
  expect(await run(install)).toMatchObject({
    code: 1,
    error: expect.stringContaining('bundles.json is damaged; remove it'),
  })
})

test('a licence that binds is shown and must be accepted, again on each box', async () => {
  await addModel('one', 'license = "LicenseRef-Mine"\naccept_license = true\n')
  writeFileSync(inFolder('terms.txt'), 'Only on Sundays.\n')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key --license-text LicenseRef-Mine=@terms.txt')
  const install = `bundle install @stick --data @second --trust-key ${key}`
  expect(await run(install)).toMatchObject({
    code: 1,
    error: expect.stringContaining('--accept-license LicenseRef-Mine'),
  })
  expect(await run(install, ['n'])).toMatchObject({ code: 1, error: expect.stringContaining('Only on Sundays.') })
  expect(statSync(inFolder('second/models'), { throwIfNoEntry: false })).toBeUndefined()
  await done(install, ['y'])
  await done(`bundle install @stick --data @third --trust-key ${key} --accept-license LicenseRef-Mine`)
})

test('what the box has is left out, by its inventory', async () => {
  await addModel('one')
  await addModel('two')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  await done(`bundle install @stick --data @second --trust-key ${key}`)
  writeFileSync(inFolder('inventory.json'), await done('bundle inventory --data @second'))
  const next = JSON.parse(
    await done('bundle create org/one org/two --to @next --key @key --base @inventory.json --json'),
  )
  expect(next.writtenBytes).toBe(statSync(inFolder('two.gguf')).size)
  expect(await run(`bundle install @next --data @fresh --trust-key ${key}`)).toMatchObject({
    code: 1,
    error: expect.stringContaining('which is not on this box'),
  })
  const installed = await done(`bundle install @next --data @second --trust-key ${key}`)
  expect(installed).toContain('Installed  org/two\nWas here   org/one\n')
})

test('the program is carried, and put in place as a program', async () => {
  writeFileSync(inFolder('program'), '#!/bin/sh\necho runs\n')
  const key = await makeKey()
  await done('bundle create starter-chat --to @stick --key @key --executable @program')
  const install = `bundle install @stick --data @second --trust-key ${key}`
  expect(await done(install)).toContain(
    `Program    'inferd bundle install ${inFolder('stick')} --executable FILE --data ${inFolder('second')}'`,
  )
  await done(`${install} --executable @installed`)
  expect(Bun.spawnSync([inFolder('installed')]).stdout.toString()).toBe('runs\n')
  const { executable } = JSON.parse(readFileSync(inFolder('stick/inferd-bundle/manifest.json'), 'utf8'))
  const part = `blobs/${executable.sha256.slice(0, 2)}/${executable.sha256}.000`
  flipByte(inFolder(`stick/inferd-bundle/${part}`), 12)
  expect(await run(`${install} --executable @damaged`)).toMatchObject({
    code: 1,
    error: expect.stringContaining(`${part} is damaged`),
  })
  expect(statSync(inFolder('damaged'), { throwIfNoEntry: false })).toBeUndefined()
  for (const [target, message] of [
    ['@none/inferd', `there is no folder ${inFolder('none')}; mount its disk, or make it, first`],
    ['@first', 'is a folder; name the file'],
  ]) {
    const refused = await run(`${install} --executable ${target}`)
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(message ?? '') })
  }
  await addModel('one')
  await done('bundle create org/one --to @empty --key @key')
  expect(await run(`bundle install @empty --data @third --trust-key ${key} --executable @x`)).toMatchObject({
    code: 1,
    error: expect.stringContaining('carries no program'),
  })
})

test('a model whose name the box gives to another is refused before anything is copied', async () => {
  await addModel('one', 'aliases = [{ id = "mine" }]\n')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  mkdirSync(inFolder('second'), { mode: 0o700 })
  await importTiny(inFolder('one.gguf'), 'my/own', inFolder('second'), ['mine'])
  const refused = await run(`bundle install @stick --data @second --trust-key ${key}`)
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('"mine", a name of org/one') })
})

test("a model that the operator's own manifest describes with other files is refused", async () => {
  await addModel('one')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  mkdirSync(inFolder('second/models.d'), { recursive: true, mode: 0o700 })
  const own = readFileSync(inFolder('first/models.d/org%2Fone.toml'), 'utf8').replace(/path = .*/, 'path = "mine.gguf"')
  writeFileSync(inFolder('second/models.d/mine.toml'), own)
  expect(await run(`bundle install @stick --data @second --trust-key ${key}`)).toMatchObject({
    code: 1,
    error: expect.stringContaining('mine.toml describes org/one with other files; remove it'),
  })
})

test('of two installs at once the second waits', async () => {
  await addModel('one')
  const key = await makeKey()
  await done('bundle create org/one --to @stick --key @key')
  mkdirSync(inFolder('second'), { mode: 0o700 })
  const first = await lockInstalls(inFolder('second'), new AbortController().signal, () => undefined)
  const waiting = run(`bundle install @stick --data @second --trust-key ${key}`)
  await done(`bundle install @stick --data @third --trust-key ${key}`)
  expect(statSync(inFolder('second/models'), { throwIfNoEntry: false })).toBeUndefined()
  first[Symbol.dispose]()
  expect(await waiting).toMatchObject({ code: 0, error: expect.stringContaining('this one waits for it') })
})

test('a model that was installed and cannot be served is named', async () => {
  const path = inFolder('junk.gguf')
  writeFileSync(path, 'junk')
  const sums = await hashFile(path)
  const manifest =
    'id = "org/junk"\ntype = "chat"\nengine = "llama"\n[[files]]\nrole = "model"\npath = "../models/org/junk/junk.gguf"\n'
  const files = [{ role: 'model', name: 'junk.gguf', source: 'x', ...sums, chunkSums: [...sums.chunkSums] }]
  const model = { id: 'org/junk', manifest, files }
  const { manifestSha256 } = await createBundle({
    models: [{ model, manifest: modelManifestOf(model), paths: new Map([[sums.sha256, path]]) }],
    licenses: { texts: [], byModel: new Map() },
    executable: undefined,
    to: inFolder('stick'),
    base: [],
    key: undefined,
    version: '1',
    newId,
    nowMs: 0,
  })
  expect(await run(`bundle install @stick --data @second --unsigned ${manifestSha256}`)).toMatchObject({
    code: 1,
    out: expect.stringContaining('Installed  org/junk'),
    error: expect.stringContaining('org/junk was installed but cannot be served: junk.gguf'),
  })
})

test('words that cannot be right are refused with what is allowed', async () => {
  await addModel('one')
  const wrong: [words: string, code: number, message: string][] = [
    ['bundle create org/one', 2, '--to'],
    ['bundle create org/none --to @x', 1, "there is no model org/none; 'inferd list --data"],
    ['bundle create org/one --to @x', 1, '/x; mount its disk, or make it, first'],
    ['bundle keygen @x/key --no-password', 1, '/x; mount its disk, or make it, first'],
    ['bundle create org/one --to @x --volume-size 1MB', 2, 'at least 64 MiB'],
    ['bundle create org/one --to @x --key @none', 1, 'cannot be read (ENOENT)'],
    ['bundle create org/one --to @x --base @one.gguf', 1, 'bundle inventory'],
    ['bundle create org/one --to @x --license-text MIT', 2, 'ID=FILE'],
    ['bundle create org/one --to @x --license-text MIT=@none', 1, '/none cannot be read (ENOENT)'],
    ['bundle create org/one --to @x --executable @none', 1, '/none is not there'],
    ['bundle create org/one --to @x --executable @first', 1, '/first is not a file'],
    ['bundle create starter-chat --to @x', 2, 'there is nothing to carry'],
    ['bundle create qwen3-coder-30b-a3b-instruct --to @x', 1, 'there is no model'],
    ['bundle verify @none', 1, '/none; name the folder of a bundle'],
    ['bundle install @first', 1, 'there is no manifest.json'],
    ['bundle install @first --trust-key x', 2, 'is no minisign public key'],
  ]
  for (const [words, code, message] of wrong) {
    expect(await run(words)).toMatchObject({ code, error: expect.stringContaining(message) })
  }
})
