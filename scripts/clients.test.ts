/** Every example of docs/clients.md that can run here runs, against the program as shipped and its starter model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServedProcess, startServedProcess } from '../src/testing/served-process.ts'

/** A fenced block of a Markdown file. */
interface CodeBlock {
  readonly language: string
  readonly code: string
  /** Of its first line of code, from 1. */
  readonly line: number
}

/** All fenced blocks of a Markdown text, in order. */
function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length + 1,
  }))
}

const root = join(import.meta.dir, '..')
const blocks = codeBlocks(readFileSync(join(root, 'docs/clients.md'), 'utf8'))
const curls = blocks.filter(({ language, code }) => language === 'bash' && code.startsWith('curl '))
const programs = blocks.filter(({ language }) => language === 'ts')

let served: ServedProcess
/** Inside the checkout, so that imports find the packages. */
let folder: string

beforeAll(async () => {
  mkdirSync(join(root, 'build'), { recursive: true })
  folder = mkdtempSync(join(root, 'build/docs-examples-'))
  for (const { line, code } of programs) writeFileSync(join(folder, `line-${line}.ts`), code)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }))
  served = await startServedProcess()
}, 60_000)
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
}, 60_000)

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', API_URL: new URL(served.baseUrl).origin, API_KEY: served.key },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect({ exitCode: await child.exited, problems }).toEqual({ exitCode: 0, problems: '' })
  return output
}

test('there are examples of each kind', () => {
  expect(curls.length).toBeGreaterThanOrEqual(8)
  expect(programs.length).toBeGreaterThanOrEqual(5)
})

test.each(curls)(
  'line $line: curl is answered',
  async ({ code }) => {
    const output = await run(['bash', '-euc', code])
    expect(output).not.toContain('"error":{')
    if (code.includes('"stream": true')) expect(output).toEndWith('data: [DONE]\n\n')
    else expect(JSON.parse(output)).toBeObject()
  },
  30_000,
)

test.each(programs)(
  'line $line: the program prints an answer',
  async ({ line }) => {
    const output = await run([process.execPath, `line-${line}.ts`])
    expect(output.trim()).toMatch(/\w{3,}/)
  },
  30_000,
)

test('the programs are free of type errors', async () => {
  expect(await run([process.execPath, 'x', 'tsc', '--noEmit', '--project', folder])).toBe('')
}, 60_000)
