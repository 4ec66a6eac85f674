/**
 * Runs every example of docs/clients.md and docs/vision.md that can run here, against the program as shipped and its
 * starter model.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { paint, toPng } from '../src/testing/pictures.ts'
import { type ServedProcess, startServedProcess } from '../src/testing/served-process.ts'

/** Fenced block of a Markdown file. */
interface CodeBlock {
  readonly language: string
  readonly code: string
  readonly page: string
  /** Line of the block's first line of code, from 1. */
  readonly line: number
}

const root = join(import.meta.dir, '..')

/** Returns all fenced blocks of a page, in order. */
function codeBlocks(page: string): CodeBlock[] {
  const markdown = readFileSync(join(root, page), 'utf8')
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    page,
    line: markdown.slice(0, index).split('\n').length + 1,
  }))
}

const blocks = ['docs/clients.md', 'docs/vision.md'].flatMap(codeBlocks)
/** Picture that the examples of docs/vision.md read from a file. */
const picture = toPng(paint(48, 48, (x) => (x < 24 ? [255, 0, 0] : [0, 0, 255]))).toString('base64')
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
    env: {
      PATH: process.env.PATH ?? '',
      API_URL: new URL(served.baseUrl).origin,
      API_KEY: served.key,
      IMAGE: picture,
    },
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
  '$page, line $line: curl is answered',
  async ({ code }) => {
    const output = await run(['bash', '-euc', code])
    expect(output).not.toContain('"error":{')
    if (code.includes('"stream": true')) expect(output).toEndWith('data: [DONE]\n\n')
    else expect(JSON.parse(output)).toBeObject()
  },
  30_000,
)

test.each(programs)(
  '$page, line $line: the program prints an answer',
  async ({ line }) => {
    const output = await run([process.execPath, `line-${line}.ts`])
    expect(output.trim()).toMatch(/\w{3,}/)
  },
  30_000,
)

test('the programs are free of type errors', async () => {
  expect(await run([process.execPath, 'x', 'tsc', '--noEmit', '--project', folder])).toBe('')
}, 60_000)
