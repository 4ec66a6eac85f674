/** Commands for files of models: real files, and a real server where the command needs one. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importModel } from '../store/import/import-model.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { recording } from '../testing/recording.ts'
import { runCommand } from '../testing/run-cli.ts'
import { startServedProcess } from '../testing/served-process.ts'

let folder = ''
let data = ''

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-models-'))
  data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  await addModel('me/tiny')
})

afterEach(() => rmSync(folder, { recursive: true }))

async function addModel(id: string, isInPlace = false): Promise<string> {
  const path = join(folder, `${id.replace('/', '-')}.gguf`)
  writeFileSync(path, tinyGguf())
  await importModel({ path, id, dataDir: data, isInPlace, known: undefined, aliases: [] })
  return path
}

function run(...words: string[]) {
  return runCommand(words, { INFERD_DATA: data })
}

async function runJson(...words: string[]) {
  const { code, out, error } = await run(...words, '--json')
  expect({ code, error }).toEqual({ code: 0, error: '' })
  return JSON.parse(out)
}

test('verify reads what is on the disk, and fails for a model that is damaged', async () => {
  expect(await run('verify')).toMatchObject({ code: 0, out: expect.stringMatching(/^me\/tiny is whole \(\d+ kB\)\n$/) })
  writeFileSync(join(data, 'models/me/tiny/me-tiny.gguf'), tinyGguf({ seed: 2 }))
  const { code, out, error } = await run('verify', 'me/tiny')
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringContaining('me/tiny IS DAMAGED'),
  })
  expect(out).toContain('  me-tiny.gguf is damaged: part 1 of 1 differs from its sum\n')
  expect(error).toBe(
    `inferd: 1 model damaged and not served; 'inferd pull me/tiny --data ${data}' repairs one of the catalog, 'inferd import --data ${data}' others\n`,
  )
  expect((await run('list')).out).toContain('me-tiny.gguf is damaged')
})

test('list shows the size of what is here, and when it was last used', async () => {
  const rows: { id: string }[] = await runJson('list')
  expect(rows.find(({ id }) => id === 'me/tiny')).toMatchObject({ bytes: tinyGguf().length, lastUsedMs: null })
  expect((await run('list')).out).toMatch(/^me\/tiny +chat +installed +\d+ kB +4096 +- *$/m)
  await using server = await startServedProcess()
  data = server.dataDir
  const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
  const used: { id: string }[] = await runJson('list')
  // The running server knows what fits into this machine.
  expect(used.find(({ id }) => id === 'openai/gpt-oss-120b')).toMatchObject({
    fit: expect.stringMatching(/^(fits|alone|too-large)$/),
    isRecommended: expect.any(Boolean),
  })
  expect((await run('list')).out).toMatch(/^MODEL +TYPE +STATUS +SIZE +FIT +CONTEXT/)
  expect(used.find(({ id }) => id === 'inferd/starter-chat')).toMatchObject({
    bytes: 0,
    lastUsedMs: expect.any(Number),
  })
}, 60_000)

test('a model that is not there is named with one that is', async () => {
  for (const words of [
    ['verify', 'me/tony'],
    ['rm', 'me/tony'],
  ]) {
    expect(await run(...words)).toMatchObject({
      code: 1,
      error: `inferd: there is no model me/tony (did you mean "me/tiny"?); 'inferd list --data ${data}' shows all\n`,
    })
  }
  expect((await run('rm', 'starter-chat')).error).toContain('is an alias; name the model: inferd/starter-chat')
})

test('rm removes the files, the lock and the manifest that an import made', async () => {
  expect(await runJson('rm', 'me/tiny')).toEqual({
    model: 'me/tiny',
    // The import linked the file, whose original still exists.
    freedBytes: 0,
    manifest: join(data, 'models.d/me%2Ftiny.toml'),
    notes: [],
  })
  expect(readdirSync(join(data, 'models'))).toEqual([])
  expect(readdirSync(join(data, 'models.d'))).toEqual([])
  expect((await run('rm', 'me/tiny')).error).toContain('there is no model me/tiny')
})

test('what an operator owns stays: files that were used in place, and manifests of their own', async () => {
  const file = await addModel('me/own', true)
  expect((await runJson('rm', 'me/own')).notes).toEqual([`${file} stays: it was used where it lies`])
  expect(existsSync(file)).toBe(true)
  const manifest = join(data, 'models.d/mine.toml')
  writeFileSync(
    manifest,
    `id = "me/mine"\ntype = "chat"\nengine = "llama"\n[[files]]\nrole = "model"\npath = "${file}"\n`,
  )
  expect((await run('rm', 'me/mine')).error).toContain('has no files in')
  expect(existsSync(manifest)).toBe(true)
})

test('models that come with the program cannot go, and models that are not here neither', async () => {
  expect((await run('rm', 'inferd/starter-chat')).error).toBe(
    'inferd: inferd/starter-chat comes with the program and cannot be removed\n',
  )
  expect((await run('rm', 'openai/gpt-oss-20b')).error).toContain('has no files in')
  expect((await run('rm', 'me/tiny', '--drain', '--now')).code).toBe(2)
})

test('du shows what is shared, and gc what nothing needs', async () => {
  const [usage] = await runJson('du')
  expect(usage).toEqual({
    modelId: 'me/tiny',
    fileBytes: expect.any(Number),
    sharedBytes: usage.fileBytes,
    partBytes: 0,
    unlistedBytes: 0,
  })
  expect((await run('gc')).out).toBe('There is nothing to remove.\n')
  writeFileSync(join(data, 'models/me/tiny/stray.bin'), 'x')
  expect(await runJson('gc')).toEqual([
    {
      ...{ path: 'me/tiny/stray.bin', file: 'models/me/tiny/stray.bin' },
      ...{ reason: 'no lock lists it', bytes: 1, removed: false },
    },
  ])
  expect((await run('gc')).out).toContain(`'inferd gc --yes --data ${data}' removes them and frees 1 B.`)
  expect((await run('gc', '--yes')).out).toContain('1 B freed.')
  expect(existsSync(join(data, 'models/me/tiny/stray.bin'))).toBe(false)
  expect((await run('verify')).code).toBe(0)
})

test('du shows compiled CUDA kernels, and gc removes them and old downloads of libraries', async () => {
  mkdirSync(join(data, 'cuda-cache/a'), { recursive: true })
  mkdirSync(join(data, 'nvidia/downloads'), { recursive: true })
  writeFileSync(join(data, 'cuda-cache/a/index'), 'four')
  for (const name of ['old.whl', 'new.whl']) writeFileSync(join(data, 'nvidia/downloads', name), 'wheel')
  const old = join(data, 'nvidia/downloads/old.whl')
  const daysAgo = Date.now() / 1000 - 2 * 24 * 3_600
  utimesSync(old, daysAgo, daysAgo)
  expect(await runJson('du')).toContainEqual(
    expect.objectContaining({ modelId: '(compiled CUDA kernels)', fileBytes: 4 }),
  )
  const found = await runJson('gc')
  expect(found.map(({ file, bytes }: { file: string; bytes: number }) => [file, bytes])).toEqual([
    ['cuda-cache', 4],
    ['nvidia/downloads/old.whl', 5],
  ])
  expect((await run('gc', '--yes')).out).toContain('9 B freed.')
  expect([existsSync(join(data, 'cuda-cache')), existsSync(old)]).toEqual([false, false])
  expect(existsSync(join(data, 'nvidia/downloads/new.whl'))).toBe(true)
})

/** Adds a model of the fake engine with a file in its folder. Returns the file's path. */
function addFake(): string {
  mkdirSync(join(data, 'models/me/fake'), { recursive: true })
  mkdirSync(join(data, 'models.d'), { recursive: true })
  const weights = join(data, 'models/me/fake/weights.bin')
  writeFileSync(weights, 'x')
  writeFileSync(
    join(data, 'models.d/me%2Ffake.toml'),
    `id = "me/fake"\ntype = "chat"\nengine = "fake"\n[[files]]\nrole = "model"\npath = "../models/me/fake/weights.bin"\n`,
  )
  return weights
}

function askFake(server: { readonly baseUrl: string; readonly key: string }, script: readonly object[]) {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'me/fake',
      stream: true,
      messages: [{ role: 'user', content: JSON.stringify({ script }) }],
    }),
  })
}

test('rm refuses while requests run; --now ends them, and the running server does not serve the model any more', async () => {
  await using server = await startServedProcess()
  data = server.dataDir
  const weights = addFake()
  const ask = () => askFake(server, [{ text: 'hello' }, { waitForCancel: true }])
  const answer = await ask()
  expect(answer.status).toBe(200)
  expect((await run('rm', 'me/fake')).error).toBe(
    'inferd: me/fake has 1 running or waiting request; --drain lets them end first, --now ends them\n',
  )
  expect(existsSync(weights)).toBe(true)
  expect(await run('rm', 'me/fake', '--now')).toMatchObject({ code: 0 })
  expect(await answer.text()).toContain('error')
  expect(existsSync(weights)).toBe(false)
  expect((await ask()).status).toBe(404)
}, 60_000)

test('rm --drain lets the request that runs end, and refuses new ones meanwhile', async () => {
  await using server = await startServedProcess()
  data = server.dataDir
  const weights = addFake()
  const answer = await askFake(server, [{ text: 'hello' }, { delayMs: 3000 }, { text: 'goodbye' }])
  expect(answer.status).toBe(200)
  const reader = answer.body?.getReader()
  let text = ''
  const removal = run('rm', 'me/fake', '--drain').then((result) => ({ ...result, textBefore: text }))
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done) break
    text += new TextDecoder().decode(value)
    if (text.includes('hello') && !existsSync(weights)) expect((await askFake(server, [])).status).toBe(404)
  }
  expect(text).toContain('goodbye')
  expect(text).not.toContain('error')
  expect(await removal).toMatchObject({ code: 0, textBefore: expect.stringContaining('goodbye') })
  expect(existsSync(weights)).toBe(false)
}, 60_000)

test('verify of all models leaves out those whose pull is unfinished', async () => {
  mkdirSync(join(data, 'models/openai/gpt-oss-20b'), { recursive: true })
  writeFileSync(join(data, 'models/openai/gpt-oss-20b/model.gguf.part'), 'x')
  expect(await run('verify')).toMatchObject({ code: 0, out: expect.stringMatching(/^me\/tiny is whole \(\d+ kB\)\n$/) })
})

test('a running server does not serve a model whose file went bad, and serves it again when it is whole', async () => {
  await using server = await startServedProcess()
  data = server.dataDir
  await addModel('me/bad')
  const path = join(data, 'models/me/bad/me-bad.gguf')
  const flip = () => {
    const { atime, mtime } = statSync(path)
    const bytes = readFileSync(path)
    bytes[300_000] = (bytes[300_000] ?? 0) ^ 1
    writeFileSync(path, bytes)
    return () => utimesSync(path, atime, mtime)
  }
  const ask = () =>
    fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'me/bad', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }),
    })
  // Changes a byte like a failing disk: the file's time stays the same.
  flip()()
  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'model_unavailable' } })
  expect((await run('list')).out).toMatch(
    /^me\/bad +chat +broken [\s\S]*\nme\/bad: me-bad\.gguf is damaged: part 1 of 1/m,
  )
  flip()
  expect((await run('verify', 'me/bad')).code).toBe(0)
  expect((await ask()).status).toBe(200)
}, 60_000)

/** Returns a folder with a model that labels speakers. */
function heardFolder(): string {
  const source = join(folder, 'heard')
  starterCopy('starter-stt.onnx', join(source, 'model.onnx'))
  starterCopy('starter-stt-tokens.txt', join(source, 'tokens.txt'))
  starterCopy('starter-segmentation.onnx', join(source, 'segmentation.onnx'))
  starterCopy('starter-speaker-embedding.onnx', join(source, 'wespeaker.onnx'))
  return source
}

function starterCopy(name: string, path: string): void {
  cpSync(join(import.meta.dir, '../../models/starter', name), path)
}

test('a model that labels speakers is imported where its diarizer can be loaded too', async () => {
  const source = heardFolder()
  starterCopy('starter-vad.onnx', join(source, 'wespeaker.onnx'))
  const { code, error } = await run('import', source, '--id', 'me/heard')
  expect(code).toBe(1)
  expect(error).toContain('cannot load me/heard, so it was not imported: its speaker-embedding model')
  starterCopy('starter-speaker-embedding.onnx', join(source, 'wespeaker.onnx'))
  const { code: second, out } = await run('import', source, '--id', 'me/heard')
  expect([second, out.split('\n')[0]]).toEqual([0, 'me/heard is ready: sherpa-onnx, zipformer-ctc.'])
}, 60_000)

test('the files of a diarizer are compared with their sums before it is loaded', async () => {
  await using server = await startServedProcess()
  const { dataDir, baseUrl, key } = server
  const source = heardFolder()
  const asBefore = (path: string) => utimesSync(path, 1_000_000_000, 1_000_000_000)
  const diarizerFiles = ['segmentation.onnx', 'wespeaker.onnx']
  for (const name of diarizerFiles) asBefore(join(source, name))
  await importModel({ path: source, id: 'me/heard', dataDir, isInPlace: false, known: undefined, aliases: [] })
  const transcribe = async (diarize: 'true' | 'false') => {
    const body = new FormData()
    body.append('model', 'me/heard')
    body.append('diarize', diarize)
    body.append('file', new File([recording(1)], 'silence.wav'))
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${baseUrl}/audio/transcriptions`, { method: 'POST', headers, body })
    return [answer.status, await answer.text()]
  }
  expect((await transcribe('false'))[0]).toBe(200)
  // A load compares three of the model's four files, so always one of these two.
  for (const name of diarizerFiles) {
    const path = join(dataDir, 'models/me/heard', name)
    writeFileSync(path, Buffer.alloc(statSync(path).size), { flag: 'r+' })
    asBefore(path)
  }
  expect(await transcribe('true')).toEqual([
    503,
    expect.stringContaining("Model 'me/heard:diarizer' could not be loaded"),
  ])
  expect((await run('list', '--data', dataDir)).out).toMatch(/^me\/heard: (segmentation|wespeaker).onnx is damaged/m)
}, 60_000)
