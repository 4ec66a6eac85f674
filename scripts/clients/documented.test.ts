/** Checks that the table of tested clients names every client of package.json, and no other. */
import { expect, test } from 'bun:test'
import manifest from '../../package.json'
import { testedClients } from './tested-clients.ts'

/** devDependencies that are no clients of a server. */
const noClients = [
  '@biomejs/biome',
  '@biomejs/cli-linux-x64',
  '@modelcontextprotocol/client',
  '@types/bun',
  '@types/node',
  '@types/oidc-provider',
  '@typescript/typescript-linux-x64',
  'ajv',
  'ajv-formats',
  'axe-core',
  'fake-indexeddb',
  'fast-check',
  'media-captions',
  'node-addon-api',
  'node-api-headers',
  'oidc-provider',
  'playwright-core',
  'sherpa-onnx-node',
  'standardwebhooks',
  'typescript',
  'zod',
  'zod-3',
]

test('the table has a row for each client that is installed, and for no other', () => {
  const installed = Object.keys(manifest.devDependencies).filter((name) => !noClients.includes(name))
  expect(Object.keys(testedClients).sort()).toEqual(installed.sort())
})

test('what is said to be no client is installed', () => {
  expect(noClients.filter((name) => !(name in manifest.devDependencies))).toEqual([])
})
