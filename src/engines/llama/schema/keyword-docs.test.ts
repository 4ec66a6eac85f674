import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { keywordDocs } from './keyword-docs.ts'

test('the docs show the table of keywords', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../../docs/compatibility.md')).text()
  expect(page).toContain(keywordDocs())
})
