import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const output = join(root, 'build', 'native')

test('the built addons say nothing of the folder they were built in', () => {
  const addons = readdirSync(output).filter((file) => file.endsWith('.node'))
  expect(addons).not.toEqual([])
  for (const addon of addons)
    expect([addon, readFileSync(join(output, addon)).includes(`${root}/`)]).toEqual([addon, false])
})
