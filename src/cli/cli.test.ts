import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { countModels } from '../core/model-counts.ts'
import { printable } from '../core/printable.ts'
import { StepClock } from '../engines/shared/step-clock.ts'
import { type ModelSteps, type ServerStatus, serveControl } from '../server/control.ts'
import { LogTail } from '../telemetry/log-tail.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { modelState } from '../testing/model-state.ts'
import { runCommand } from '../testing/run-cli.ts'
import { runCli } from './cli.ts'

// Each import loads the model.
setDefaultTimeout(30_000)

let data = ''

beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'data')
})

/** Runs one command line in this process. */
function run(...words: string[]) {
  return runCommand(words, { INFERD_DATA: data })
}

async function runJson(...words: string[]) {
  const { code, out, error } = await run(...words, '--json')
  expect({ code, error }).toEqual({ code: 0, error: '' })
  return JSON.parse(out)
}

test('the version is printed by flag and by command', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: `${packageJson.version}\n`, error: '' })
  expect(await run('version')).toEqual({ code: 0, out: `${packageJson.version}\n`, error: '' })
  expect(await runJson('version')).toMatchObject({ version: packageJson.version })
})

test('help lists the commands, and serve’s help every setting', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  for (const command of ['serve', 'keys', 'import', 'list', 'ps', 'config', 'version'])
    expect(out).toContain(`  ${command}`)
  const serve = await run('serve', '--help')
  expect(serve.code).toBe(0)
  expect(serve.out).toContain('INFERD_FLASH_ATTENTION')
  expect(serve.out).toContain('--data <path>')
})

test('a group without a command is wrong usage and gets the help as it is, line by line', async () => {
  const { code, out, error } = await run('keys')
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(error).toMatch(/^Usage: inferd .*\n\n.*\n\nOptions:\n {2}-/)
})

test.each([
  [['kyes'], "inferd: unknown command 'kyes' (Did you mean keys?)"],
  [['keys', 'crate'], "inferd: unknown command 'crate' (Did you mean create?)"],
  [['list', '--jsn'], "inferd: unknown option '--jsn' (Did you mean --json?)"],
  [['--prot', '1'], "inferd: unknown option '--prot' (Did you mean --port?)"],
  [['keys', 'create'], "inferd: required option '--name <name>' not specified"],
  [['keys', 'revoke'], "inferd: missing required argument 'key'"],
  [['list', 'extra'], "inferd: too many arguments for 'list'. Expected 0 arguments but got 1: extra."],
  [['config', '--port', 'many'], 'inferd: --port must be a whole number from 0 to 65535, not "many"'],
  [['keys', 'create', '--name', 'a\nb'], 'inferd: --name takes 1 to 100 characters on one line'],
  [['keys', 'create', '--name', ''], 'inferd: --name takes 1 to 100 characters on one line'],
  [['keys', 'create', '--name', ' '], 'inferd: --name takes 1 to 100 characters on one line'],
  [['keys', 'list', '--data', ''], 'inferd: --data must be a path, not ""'],
  [['keys', 'list', '--config', ''], 'inferd: --config must be a path, not ""'],
  [['config', '--host', ''], 'inferd: --host must be one line of text, not ""'],
  [
    ['keys', 'create', '--name', 'a', '--expires-days', '0'],
    'inferd: --expires-days must be a whole number from 1 to 36500',
  ],
  [['import', 'x.gguf', '--id', 'name'], 'inferd: --id must be <org>/<name> of letters, digits and ._-, not "name"'],
  [
    ['import', 'x.gguf', '--manifest', 'x.toml', '--mmproj', 'y.gguf'],
    'inferd: --mmproj goes without --manifest: the manifest names the file, with role "mmproj"',
  ],
  [['import', 'x.gguf', '--id', '../x'], 'inferd: --id must be <org>/<name> of letters, digits and ._-, not "../x"'],
  [
    ['import', 'x.gguf', '--id', 'a/b', '--alias', 'c d'],
    'inferd: --alias must be of letters, digits and ._:/@-, not "c d"',
  ],
])('%j is wrong usage: exit code 2, one line, nothing done', async (words, line) => {
  expect(await run(...words)).toEqual({ code: 2, out: '', error: `${line}\n` })
  expect(existsSync(data)).toBe(false)
})

test('a key is made, listed without its secret, and revoked', async () => {
  const created = await runJson('keys', 'create', '--name', 'laptop')
  expect(created).toEqual({
    id: expect.stringMatching(/^key_/),
    key: expect.stringMatching(/^sk-inferd-[0-9A-Za-z]{40}$/),
    prefix: created.key.slice(0, 18),
    account: expect.stringMatching(/^acc_/),
    name: 'laptop',
    expiresAtMs: null,
  })
  const listed = await run('keys', 'list')
  expect(listed.out).toContain(`${created.id}  laptop  ${created.prefix}…  valid`)
  expect(listed.out).not.toContain(created.key)
  expect(await runJson('keys', 'revoke', created.prefix)).toEqual({ revoked: created.id })
  const [row] = await runJson('keys', 'list')
  expect(row).toMatchObject({ id: created.id, name: 'laptop', revokedAtMs: expect.any(Number), lastUsedMs: null })
})

test('the secret alone goes to stdout, so that it can be piped', async () => {
  const { out, error } = await run('keys', 'create', '--name', 'pipe')
  expect(out).toMatch(/^sk-inferd-[0-9A-Za-z]{40}\n$/)
  expect(error).toContain('shown this once')
})

test('a key may expire', async () => {
  const { expiresAtMs } = await runJson('keys', 'create', '--name', 'guest', '--expires-days', '2')
  expect(expiresAtMs).toBeGreaterThan(Date.now() + 47 * 3_600_000)
  expect((await run('keys', 'list')).out).toContain('valid until ')
})

test('revoking what is not there fails with the next step', async () => {
  await run('keys', 'create', '--name', 'somebody')
  expect(await run('keys', 'revoke', 'key_nobody')).toEqual({
    code: 1,
    out: '',
    error: `inferd: there is no key "key_nobody"; 'inferd keys list --data ${data}' shows their ids\n`,
  })
})

test('the data folder is its owner’s alone', async () => {
  await run('keys', 'create', '--name', 'a')
  expect(statSync(data).mode & 0o777).toBe(0o700)
})

test.if(process.getuid?.() === 0)('root makes nothing in a folder of another user', async () => {
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, 54_321, 54_321)
  for (const words of [
    ['keys', 'create', '--name', 'a'],
    ['keys', 'list'],
    ['import', 'x.gguf', '--id', 'a/b'],
    ['serve'],
  ]) {
    const { code, error } = await run(...words)
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringContaining(`run it as that user: 'sudo -u "#54321" inferd … --data ${data}'\n`),
    })
  }
  expect(readdirSync(data)).toEqual([])
  expect((await run('ps')).code).toBe(3)
})

test('the models that can be used are listed first', async () => {
  const rows = await runJson('list')
  expect(rows[0]).toMatchObject({ id: 'inferd/starter-chat', status: 'ready', aliases: ['starter-chat'] })
  expect(rows.at(-1).status).toBe('available')
  const { out } = await run('list')
  expect(out).toMatch(/^MODEL +TYPE +STATUS +SIZE/)
  // Size of the download, `-` unless the size of every file is known.
  expect(out).toMatch(/^openai\/gpt-oss-20b +chat +available +12\.1 GB /m)
  expect(out).toMatch(/^BAAI\/bge-m3 +embedding +available +- /m)
})

test('an imported file is a model at once, and a second import of the same id needs force', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  expect(await runJson('import', file, '--id', 'me/tiny', '--alias', 'tiny', 'small')).toMatchObject({
    id: 'me/tiny',
    placement: 'linked',
    architecture: 'qwen2',
    context: 4096,
    chatTemplate: true,
    path: join(data, 'models/me/tiny/tiny.gguf'),
  })
  const rows: { id: string }[] = await runJson('list')
  expect(rows.find(({ id }) => id === 'me/tiny')).toMatchObject({ status: 'ready', aliases: ['tiny', 'small'] })
  expect(await run('import', file, '--id', 'me/tiny')).toMatchObject({
    code: 1,
    error: 'inferd: there is a model me/tiny already; choose another id, or --force to take its place\n',
  })
  expect((await run('import', file, '--id', 'me/tiny', '--force')).code).toBe(0)
  expect(await run('import', file, '--id', 'me/other', '--alias', 'tiny')).toMatchObject({
    code: 1,
    error: 'inferd: "tiny" already names another model; choose another alias\n',
  })
})

test('an import does not compete with a manifest that the operator wrote', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  const manifest = join(data, 'models.d', 'own.toml')
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  writeFileSync(manifest, 'id = "me/tiny"\ntype = "chat"\nengine = "fake"\n')
  expect(await run('import', file, '--id', 'me/tiny', '--force')).toEqual({
    code: 1,
    out: '',
    error: `inferd: ${manifest} describes me/tiny; name the file there, or remove it, or choose another id\n`,
  })
  expect(readdirSync(join(data, 'models.d'))).toEqual(['own.toml'])
})

test('a file for a model of the catalog keeps what the catalog knows of it', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'own.gguf')
  writeFileSync(file, tinyGguf())
  expect((await run('import', file, '--id', 'Qwen/Qwen3-VL-8B-Instruct', '--in-place')).code).toBe(0)
  const rows: { id: string }[] = await runJson('list')
  expect(rows.find(({ id }) => id === 'Qwen/Qwen3-VL-8B-Instruct')).toMatchObject({
    status: 'ready',
    type: 'chat',
    aliases: expect.arrayContaining(['gpt-4o-mini']),
    files: { model: file },
  })
})

test('an alias that is taken away from a model of the catalog is named', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  const first = await run('import', file, '--id', 'me/tiny', '--alias', 'gpt-4o-mini', 'mine')
  expect(first.out).toContain('  Alias      gpt-4o-mini now means this model, no longer Qwen/Qwen3-VL-8B-Instruct\n')
  expect(first.out).not.toContain('mine now')
  const again = ['import', file, '--id', 'me/tiny', '--alias', 'gpt-4o-mini', '--force']
  expect((await run(...again)).out).not.toContain('now means')
  expect(await runJson('import', file, '--id', 'me/tiny', '--alias', 'gpt-4o', '--force')).toMatchObject({
    aliasesTaken: [{ alias: 'gpt-4o', from: expect.any(String) }],
  })
})

test('an import says that the model has no price, and what it prints is one', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  const { out } = await run('import', file, '--id', 'me/tiny')
  expect(out).toContain('  Price      none: only unmetered accounts may use it.')
  const [pricing = ''] = /^ *\[pricing\]\n( +\w+ = .+\n)+/m.exec(out) ?? []
  appendFileSync(join(data, 'models.d', 'me%2Ftiny.toml'), pricing)
  expect((await runJson('list')).find(({ id }: { id: string }) => id === 'me/tiny')).toMatchObject({ status: 'ready' })
  const again = ['import', file, '--id', 'me/tiny', '--force']
  expect((await run(...again)).out).not.toContain('Price')
  expect(await runJson(...again)).toMatchObject({ priced: true })
})

test('prices that the settings file sets are prices', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'config.toml'), '[prices."me/tiny"]\ninput = 0\noutput = 0\n')
  expect(await runJson('import', file, '--id', 'me/tiny')).toMatchObject({ priced: true })
})

test('control characters of files are shown as escapes on the terminal', async () => {
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'models.d', 'x\x1b[2J.toml'), 'id = "a\\u009b2J\\nb"\n')
  for (const words of [['list'], ['list', '--json'], ['import', 'no\x1b[2J.gguf', '--id', 'a/b'], ['bad\x07']]) {
    const { out, error } = await run(...words)
    expect(out + error).toBe(printable(out + error))
  }
  const { out } = await run('list')
  expect(out).toMatch(/^models\.d\/x\\u001b\[2J\.toml +-( +broken)( +-){3}$/m)
  expect(out).toContain('\nmodels.d/x\\u001b[2J.toml: "type" is missing\n')
  expect(out.split('\n').at(-2)).toStartWith('models.d/')
})

test('a file for a model that needs another engine is not imported, and nothing is left behind', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'tiny.gguf')
  writeFileSync(file, tinyGguf())
  const { code, out, error } = await run('import', file, '--id', 'BAAI/bge-m3')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(error).toBe('inferd: these files cannot be BAAI/bge-m3: engine "llama" has no models of type "embedding"\n')
  expect(existsSync(data)).toBe(false)
})

test('a variable that is no setting is named on stderr, and the command is done', async () => {
  const lines: string[] = []
  const nothing = { out: () => undefined, deliver: async () => undefined, ask: async () => undefined }
  const io = { ...nothing, error: (text: string) => lines.push(text) }
  const environment = { INFERD_DATA: data, INFERD_TEAM: 'http://127.0.0.1:11500' }
  expect(await runCli(['list', '--json'], { ...io, environment })).toBe(0)
  expect(lines).toEqual([expect.stringMatching(/^inferd: warning: the environment variable INFERD_TEAM is no setting/)])
})

test('a damaged file is not imported', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'inferd-cli-')), 'cut.gguf')
  writeFileSync(file, tinyGguf().slice(0, 5000))
  const { code, error } = await run('import', file, '--id', 'me/cut')
  expect(code).toBe(1)
  expect(error).toStartWith(`inferd: ${file} is cut short`)
})

test('config shows each setting and where it comes from', async () => {
  expect(await runJson('config', '--port', '8080')).toMatchObject({
    data: { value: data, source: 'INFERD_DATA' },
    port: { value: 8080, source: '--port' },
    preload: { value: null, source: 'default' },
  })
  expect((await run('config')).out).toContain('INFERD_DATA')
})

test('config shows the settings of single models that the file sets, by their keys', async () => {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'config.toml'), '[models."a/b".llama]\ncontext_tokens = 512\nkv_type = "q8_0"\n')
  expect(await runJson('config')).toMatchObject({
    models: { 'a/b': { llama: { context_tokens: 512, kv_type: 'q8_0' } } },
  })
  expect((await run('config')).out).toMatch(/models\."a\/b"\.llama +context_tokens=512 kv_type=q8_0 +config\.toml\n/)
})

test('config shows the prices that the file sets', async () => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'config.toml'), '[prices."a/b"]\ninput = 0.1\ncached_input = 0.025\n')
  expect((await runJson('config')).prices).toEqual({ 'a/b': { input: 0.1, cached_input: 0.025 } })
  expect((await run('config')).out).toContain('prices."a/b"')
})

test('config does not show a secret, only whether there is one', async () => {
  expect((await runJson('config')).smtp_password).toEqual({ value: null, source: 'default' })
  const flags = ['--smtp-password', 'hunter2', '--trusted-proxies', '10.0.0.1,::1']
  const { out } = await run('config', ...flags)
  expect(out).toMatch(/smtp_password +\(set\) +--smtp-password\n/)
  expect(out).toMatch(/trusted_proxies +10.0.0.1,::1 +/)
  const json = await runJson('config', ...flags)
  expect(json.smtp_password).toEqual({ value: '(set)', source: '--smtp-password' })
  expect(JSON.stringify(json)).not.toContain('hunter2')
})

/** Serves the control socket of a server with these engines. */
function serveStatus(engines: ServerStatus['engines'], steps: readonly ModelSteps[] = []) {
  return serveControl(data, {
    unload: async () => undefined,
    log: new LogTail(),
    steps: async () => steps,
    status: () => ({
      ...{
        pid: 1,
        version: '0',
        url: '',
        localUrl: '',
        tls: undefined,
        startedAtMs: 0,
        endpoints: [],
        backends: [],
        engines,
        pools: [],
        queue: [],
      },
      backendProblems: [],
      models: countModels({ statuses: ['ready', 'available', 'broken'], engines }),
    }),
    perform: async () => ({ kind: 'other-version', version: '0' }),
  })
}

test('ps says why a model could not be loaded', async () => {
  mkdirSync(data, { mode: 0o700 })
  const failedLoad = 'the native libraries cannot be loaded from /x:\nis it on a noexec file system?'
  const engines = [modelState({ state: 'failed', failedLoad, lastExit: 'exit code 1' })]
  const control = serveStatus(engines)
  const { out } = await run('ps')
  await control.stop()
  expect(out).toContain(' the native libraries cannot be loaded from /x: is it on a noexec file system?\n')
})

test('ps counts models, not the engines that label speakers, and names each kind of memory', async () => {
  mkdirSync(data, { mode: 0o700 })
  const memory = { estimatedBytes: { host: 3e6 }, reservedBytes: { host: 2e6 }, usedBytes: { host: 1e6 } }
  const states = [modelState({ state: 'draining', ...memory }), modelState({ modelId: 'a/b:diarizer', state: 'ready' })]
  const control = serveStatus(states)
  const { out } = await run('ps')
  const { models } = await runJson('ps')
  await control.stop()
  expect(models).toEqual({ installed: 1, loaded: 1, ready: 1 })
  expect(out).toContain('\n1 model installed, 1 loaded\n')
  expect(out).toMatch(/ ESTIMATE +RESERVED +USED .*\n.* 3 MB +2 MB +1 MB /)
  const { out: help } = await run('ps', '--help')
  for (const name of ['estimatedBytes', 'reservedBytes', 'usedBytes']) expect(help).toContain(name)
})

test('ps --steps says where the time of steps went', async () => {
  mkdirSync(data, { mode: 0o700 })
  const clock = new StepClock()
  clock.addAll({ queue: 20, plan: 0.6, device: 8.2, sample: 0.6, accept: 0.6, emit: 3 })
  const model = { modelId: 'a/b', steps: 1, generatedTokens: 8, promptTokens: 1, phases: clock.times() }
  const control = serveStatus([], [model])
  const { out } = await run('ps', '--steps')
  const json = await runJson('ps', '--steps')
  await control.stop()
  expect(json.models).toEqual([model])
  expect(out).toContain(
    'a/b, 1 step, 1 prompt token and 8 of answers: device 82 %, sampling 6 %, waiting for us 12 %\n',
  )
  expect(out).toMatch(/\ndevice +82 % +1 +8.200 +10 +10 +0.01 *\n/)
  expect(out).toMatch(/\nqueue +- +1 +20.000 /)
})

test('ps --steps without a server, and without models', async () => {
  mkdirSync(data, { mode: 0o700 })
  expect((await run('ps', '--steps')).error).toContain('no server')
  const control = serveStatus([])
  const { out } = await run('ps', '--steps')
  await control.stop()
  expect(out).toBe('No model that computes here is loaded.\n')
})

test('ps leaves out a size that llama.cpp does not know', async () => {
  mkdirSync(data, { mode: 0o700 })
  const info = { device: 'cpu', description: 'qwen3 ?B Q8_0 on cpu, 2 threads', contextTokens: 64, parallel: 1 }
  const control = serveStatus([modelState({ state: 'ready', info })])
  const { engines } = await runJson('ps')
  await control.stop()
  expect(engines).toMatchObject([{ modelId: 'a/b', info: { ...info, description: 'qwen3 Q8_0 on cpu, 2 threads' } }])
})

test('a switch is turned on and off by flags, the last one counts', async () => {
  const shareCache = async (...words: string[]) => (await runJson('config', ...words)).share_cache
  expect(await shareCache()).toEqual({ value: false, source: 'default' })
  expect(await shareCache('--share-cache')).toEqual({ value: true, source: '--share-cache' })
  mkdirSync(data, { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'config.toml'), 'share_cache = true\n')
  expect((await shareCache()).value).toBe(true)
  expect(await shareCache('--no-share-cache')).toEqual({ value: false, source: '--no-share-cache' })
  expect((await shareCache('--no-share-cache', '--share-cache')).value).toBe(true)
  expect((await run('serve', '--help')).out).toContain('--no-share-cache ')
})

test('ps says when no server is running', async () => {
  const { code, out } = await run('ps', '--json')
  expect({ code, shown: JSON.parse(out) }).toEqual({
    ...{ code: 3, shown: { running: false, endpoints: [], engines: [], pools: [], queue: [], backends: [] } },
  })
  expect(await run('ps')).toEqual({
    ...{ code: 3, out: '', error: expect.stringContaining(`inferd: no server runs on ${data}; `) },
  })
})

test('a database of a newer version is refused in one line', async () => {
  await run('keys', 'create', '--name', 'a')
  const { Database } = await import('bun:sqlite')
  const database = new Database(join(data, 'inferd.db'))
  database.run('PRAGMA user_version = 99')
  database.close()
  const { code, error } = await run('keys', 'list')
  expect(code).toBe(1)
  expect(error).toMatch(/^inferd: .*inferd\.db was written by a newer inferd \(schema 99, this one knows \d+\).*\n$/)
})

test('a data folder that others may look into is refused, with the command that closes it', async () => {
  mkdirSync(join(data, 'models.d'), { recursive: true })
  chmodSync(data, 0o755)
  const error = `inferd: the data folder ${data} is open to other users (mode 755); close it: chmod 700 ${data}\n`
  for (const words of [['serve'], ['keys', 'create', '--name', 'a'], ['import', 'x.gguf', '--id', 'a/b']]) {
    expect(await run(...words)).toEqual({ code: 1, out: '', error })
  }
})
