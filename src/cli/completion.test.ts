import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../testing/run-cli.ts'

const script = async (shell: string) => (await runCommand(['completion', shell], {})).out

/** Home folder of the shells, which write files there. */
const home = mkdtempSync(join(tmpdir(), 'inferd-home-'))

afterAll(() => rmSync(home, { recursive: true, force: true }))

async function inShell(command: readonly string[]): Promise<string[]> {
  const child = Bun.spawn([...command], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH ?? '', HOME: home },
  })
  return (await new Response(child.stdout).text()).split('\n').filter((line) => line !== '')
}

/** Returns the completions that each shell offers for the last word of a command line. */
const offers: Readonly<Record<string, (words: readonly string[]) => Promise<string[]>>> = {
  bash: async (words) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _inferd; printf '%s\\n' "\${COMPREPLY[@]}"`
    return inShell(['bash', '--norc', '-c', `${await script('bash')}\n${ask}`])
  },
  zsh: async (words) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const ask = `words=(${line}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; _inferd`
    const stubs = `compdef() { : }; _files() { : }; compadd() { shift; print -l -- \${(M)@:#$PREFIX*} }`
    return inShell(['zsh', '-f', '-c', `${stubs}\n${await script('zsh')}\n${ask}`])
  },
  fish: async (words) => {
    const lines = await inShell([
      'fish',
      '--no-config',
      '-c',
      `${await script('fish')}\ncomplete -C '${words.join(' ')}'`,
    ])
    return lines.map((line) => line.split('\t')[0] ?? '')
  },
}

for (const [shell, offered] of Object.entries(offers)) {
  test.if(Bun.which(shell) !== null)(`${shell} completes commands, their commands and flags`, async () => {
    expect(await offered(['inferd', 'key'])).toEqual(['keys'])
    expect(await offered(['inferd', 'keys', 'cr'])).toEqual(['create'])
    expect(await offered(['inferd', 'keys', 'create', '--exp'])).toEqual(['--expires-days'])
    expect(await offered(['inferd', 'bundle', 'create', 'model', '--volume'])).toEqual(['--volume-size'])
    expect(await offered(['inferd', '--ollama-p'])).toEqual(['--ollama-port'])
    expect(await offered(['inferd', 'list', 'key'])).not.toContain('keys')
  })
}

test('another shell is named with those that there are', async () => {
  expect(await runCommand(['completion', 'csh'], {})).toEqual({
    ...{ code: 2, out: '', error: 'inferd: the shell must be one of bash, zsh, fish, not "csh"\n' },
  })
})
