/** docs/clients.md names every client of package.json with its version, and no other. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json'

/** What is in devDependencies and speaks to no server. */
const noClients = [
  '@biomejs/biome',
  '@biomejs/cli-linux-x64',
  '@modelcontextprotocol/client',
  '@types/bun',
  '@types/node',
  '@typescript/typescript-linux-x64',
  'ajv',
  'ajv-formats',
  'axe-core',
  'fast-check',
  'media-captions',
  'node-addon-api',
  'node-api-headers',
  'playwright-core',
  'sherpa-onnx-node',
  'typescript',
  'zod',
  'zod-3',
]

/** Of the table under "What is run". */
function documentedClients(): string[] {
  const page = readFileSync(join(import.meta.dir, '../../docs/clients.md'), 'utf8')
  const section = page.split('\n## What is run\n')[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \| ([\d.]+) \| [^|\n]*\w[^|\n]* \| [^|\n]*\|$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  )
}

/** An alias is the package it stands for: `npm:openai@4.0.0` is openai 4.0.0. */
function installedClients(): string[] {
  return Object.entries(manifest.devDependencies)
    .filter(([name]) => !noClients.includes(name))
    .map(([name, version]) => (version.startsWith('npm:') ? version.slice('npm:'.length) : `${name}@${version}`))
}

test('the table has a row for each client that is installed, and for no other', () => {
  expect(documentedClients().sort()).toEqual(installedClients().sort())
})

test('what is said to be no client is installed', () => {
  expect(noClients.filter((name) => !(name in manifest.devDependencies))).toEqual([])
})
