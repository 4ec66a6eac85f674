/** Schemas of today's tools: answers keep to the strict ones, and all others are accepted. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ChatEvent } from '../../core/chat.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { realSchemas } from '../../testing/real-schemas.ts'
import { startSchemaEngine } from '../../testing/schema-engine.ts'
import { shippedTemplate } from '../../testing/template-models.ts'

/**
 * Validates a value. Returns undefined if the validator cannot read the schema, as when its definitions stand in an
 * unusual place.
 */
function validate({ $schema, ...schema }: JsonObject, value: JsonValue): boolean | undefined {
  const options = { strict: false, logger: false } as const
  // Each schema has a separate validator, because some share an `$id`.
  const ajv = String($schema).includes('draft-07') ? new Ajv(options) : new Ajv2020(options)
  // Only the formats that the grammar enforces: others are notes for the model.
  addFormats(ajv, ['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])
  try {
    return ajv.compile(schema)(value)
  } catch {
    return undefined
  }
}

function endOf(events: readonly ChatEvent[]) {
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  const end = events.find((event) => event.type === 'choice-finish')
  return { text, isWhole: end?.reason !== 'length' }
}

/** Schemas that demand what no grammar can enforce, or that are invalid. */
const unsupported = [
  ...['Go: nothing known', 'MCP: conditions', 'MCP: definitions that are missing', 'MCP: not'],
  ...['MCP: pointers of a larger document', 'MCP: propertyNames', 'OpenAPI: file'],
  ...['PHP: a property that is an empty list', 'PHP: lists for objects', 'PHP: nulls for all that is absent'],
  ...['pydantic: set', 'zod 3, ai 7: set'],
]

test('answers keep to the schemas of real tools, and none is refused unless it is strict', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-real-schemas-'))
  const file = join(folder, 'random.gguf')
  const template = { jinja: shippedTemplate('Qwen-Qwen3-0.6B') }
  writeFileSync(file, tinyGguf({ chatTemplate: template, output: 'ascii', endBias: 0 }))
  const ask = await startSchemaEngine(file)
  const all = realSchemas()
  const refused: string[] = []
  const misfits: string[][] = []
  let whole = 0
  await Promise.all(
    all.map(async ({ name, schema, isOld = false }, index) => {
      await ask(schema, 2 * index, { origin: { path: 'p', isStrict: false }, maxTokens: 1 })
      const origin = { path: 'p', isStrict: true }
      const strict = await ask(schema, 2 * index + 1, { origin, maxTokens: 200 }).catch(() => undefined)
      if (strict === undefined) {
        refused.push(name)
        return
      }
      const { text, isWhole } = endOf(strict)
      if (!isWhole) return
      whole++
      const value: JsonValue = JSON.parse(text)
      if (!isOld && validate(schema, value) === false) misfits.push([name, JSON.stringify(schema), text])
    }),
  )
  expect(misfits).toEqual([])
  expect(refused.sort()).toEqual(unsupported)
  expect(all.length).toBeGreaterThan(200)
  expect(whole).toBeGreaterThan(all.length * 0.7)
  rmSync(folder, { recursive: true })
}, 120_000)
