/** Proves that clients cannot tell whether this server or a second inferd behind it serves their models. */
import { expect, test } from 'bun:test'
import { failuresBehind } from './clients-behind.ts'

test('every generation of the OpenAI, Anthropic and AI SDKs works through a box behind the box', async () => {
  const sets = ['openai-sdk', 'anthropic-sdk', 'ai-sdk'].map((name) => `scripts/clients/${name}.test.ts`)
  expect(await failuresBehind('twin', sets)).toEqual([])
}, 120_000)

test('so it does with the starter model, which a second server process runs', async () => {
  const sets = ['src/http/anthropic-client.test.ts', 'src/http/routes/responses-client.test.ts']
  expect(await failuresBehind('inferd', sets)).toEqual([])
}, 120_000)
