/**
 * Commands that a server prints reach that server, whichever folder it has. Commands that only read create no folder.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'
import { runProgram } from '../testing/run-program.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { textParts } from '../testing/text-parts.ts'

let home = ''
let data = ''
let server: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'inferd-home-'))
  data = join(home, 'my models', 'data')
})

afterEach(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  server = undefined
  rmSync(home, { recursive: true, force: true })
})

/** Starts a server and returns all it prints until it listens. The server keeps running. */
async function start(...flags: string[]): Promise<string> {
  server = Bun.spawn([...testedProgram, 'serve', '--data', data, '--port', '0', ...flags], {
    env: { HOME: home, PATH: '/usr/bin:/bin' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  for await (const line of textParts(server.stdout)) {
    printed += `${line}\n`
    if (line.includes("-d '") || line.includes('"listening"')) return printed
  }
  throw new Error(await new Response(server.stderr).text())
}

/** Runs a command in a shell of the same user that does not know how the server was started. */
function shell(command: string) {
  return runProgram(['sh', '-c', command], { HOME: home, PATH: '/usr/bin:/bin' })
}

const usualFolder = () => join(home, '.local', 'share', 'inferd')
const bare = testedProgram.join(' ')

test('the command that a start prints makes a link to that very server, also with settings in another place', async () => {
  const config = join(home, 'my settings.toml')
  writeFileSync(config, 'log_level = "warn"\n')
  const printed = await start('--config', config)
  const [, url = ''] = /Base URL +(\S+)\/v1/.exec(printed) ?? []
  const [, command = ''] = /no one can sign in yet: (.+)/.exec(printed) ?? []
  expect(command).toContain(`--data "${data}" --config "${config}"`)
  const made = await shell(command)
  expect(made.code).toBe(0)
  expect(made.out).toStartWith(`${url}/admin/setup#`)
  expect((await fetch(made.out.trim())).status).toBe(200)
  const [, keys = ''] = /or a new one: (.+)/.exec(await restart('--config', config)) ?? []
  expect(await shell(keys.replace('NAME', 'second'))).toMatchObject({ code: 0, out: expect.stringMatching(/^sk-/) })
  expect(existsSync(usualFolder())).toBe(false)
})

async function restart(...flags: string[]): Promise<string> {
  server?.kill('SIGTERM')
  await server?.exited
  return start(...flags)
}

test('each start says where the pages are: in text, as JSON and in the log', async () => {
  await start()
  const text = await restart('--log-format', 'json')
  const [, url = ''] = /Base URL +(\S+)\/v1/.exec(text) ?? []
  expect(text).toContain(`  Dashboard  ${url}/dashboard\n`)
  expect(text).toContain(`  Operator   ${url}/admin\n`)
  server?.kill('SIGTERM')
  const lines = (await new Response(server?.stderr).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const pages = { dashboardUrl: `${url}/dashboard`, adminUrl: `${url}/admin` }
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', msg: 'listening', url, ...pages, data }))
  await server?.exited
  const events = (await start('--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const listening = events.find(({ event }) => event === 'listening')
  expect(listening).toMatchObject({ dashboardUrl: `${listening.url}/dashboard`, adminUrl: `${listening.url}/admin` })
  const off = (await restart('--json', '--admin', 'off'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(off.find(({ event }) => event === 'listening')).not.toHaveProperty('adminUrl')
})

const forRunningServers = [
  'ps',
  'logs',
  'search x',
  'models load x',
  'models restart x',
  'endpoints',
  'endpoints drain x y',
  'requests cancel x',
]

const bareWords = [
  ...['admin link', 'list', 'keys list', 'keys create --name x', 'credit a@b.example 5', 'users list', 'doctor'],
  ...['audit', 'du', 'verify', 'backup', 'outbox', 'requests list'],
  'import x.gguf --id a/b',
  ...['run x hello', 'embed hello', 'speak hello -o x.wav'],
]

test('commands without --data name the folder of the server that runs, and make none', async () => {
  await start()
  for (const words of bareWords) {
    const { out, error, code } = await shell(`${bare} ${words}`)
    expect({ words, out, code }).toEqual({ words, out: '', code: 1 })
    expect(error).toContain(`there is no data folder ${usualFolder()}; `)
    expect(error).toContain(data)
  }
  for (const words of forRunningServers) {
    const { out, error, code } = await shell(`${bare} ${words}`)
    expect({ words, out, code }).toEqual({ words, out: '', code: 3 })
    // The message goes on with other servers of this user, if any run on this machine.
    expect(error).toContain(`no server runs on ${usualFolder()}; `)
    expect(error).toContain(data)
  }
  const { out, code } = await shell(`${bare} ps --json`)
  expect({ running: JSON.parse(out).running, code }).toEqual({ running: false, code: 3 })
  expect(existsSync(join(home, '.local'))).toBe(false)
})

test.each(
  [
    ['admin', 'link'],
    ['users', 'link', 'a@b.example'],
    ['list'],
    ['ps'],
    ['logs'],
    ['keys', 'list'],
    ['keys', 'revoke', 'key_x'],
    ['credit', 'a@b.example', '5'],
    ['doctor'],
    ['audit'],
    ['du'],
    ['gc'],
    ['verify'],
    ['backup'],
    ['outbox'],
    ['outbox', '--retry', 'mail_x'],
    ['sessions', 'end', 'a@b.example'],
    ['vouchers', 'revoke', 'vou_x'],
    ['search', 'x'],
    ['models', 'load', 'x'],
    ['models', 'unpin', 'x'],
    ['endpoints'],
    ['requests', 'list'],
    ['requests', 'cancel', 'req_x'],
    ['rm', 'inferd/starter-chat'],
    ['restore', '/nowhere/x.tar', '--check'],
    ['restore', '/nowhere/x.tar'],
    ['import', '/nowhere/x.gguf', '--id', 'a/b'],
    ['bundle', 'inventory'],
    ['bundle', 'install', '/nowhere'],
    ['catalog', 'check', 'a/b'],
    ['check', 'a/b'],
    ['pull', 'a/b'],
    ['run', 'a/b', 'hello'],
    ['transcribe', '/nowhere/x.wav'],
  ].map((words) => [words.join(' ')]),
)('`inferd %s` makes no data folder', async (words) => {
  await runCommand(words.split(' '), { INFERD_DATA: data })
  expect(existsSync(data)).toBe(false)
})
